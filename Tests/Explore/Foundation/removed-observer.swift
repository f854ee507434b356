// removed-observer.swift: an owner removes its observer from the centre and closes the file that the observer writes to.
// A post that has already picked its observers still calls this one after its removal, when the file is closed.
// Fix: the observer asks under the lock whether the file is still open, and writes under the same lock.
import Foundation

let lock = NSLock()
nonisolated(unsafe) var isOpen = true  // SAFETY: used under `lock` alone.

func inThreads(_ bodies: @Sendable () -> Void...) {
  let group = DispatchGroup()
  for body in bodies {
    group.enter()
    Thread {
      body()
      group.leave()
    }.start()
  }
  group.wait()
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

let name = Notification.Name("saved")
let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
  lock.withLock {
    #if MENDED
    if !isOpen { return }
    #endif
    if !isOpen { fail("written to a closed file") }
  }
}
nonisolated(unsafe) let observer = token  // SAFETY: used by one thread alone once the threads have started.
inThreads(
  { NotificationCenter.default.post(name: name, object: nil) },
  {
    Thread.sleep(forTimeInterval: 0.03)
    NotificationCenter.default.removeObserver(observer)
    lock.withLock { isOpen = false }
  })
