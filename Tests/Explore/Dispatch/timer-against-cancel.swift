// timer-against-cancel.swift: an owner cancels its timer and closes the file that the timer's handler writes to.
// A handler that has already begun goes on after the cancellation, and writes to a file that is closed.
// Fix: the file is closed in the cancel handler, which runs after the event handler has returned, and is the last to be called.
import Dispatch
import Glibc

let file = DispatchQueue(label: "file")
nonisolated(unsafe) var isOpen = true  // SAFETY: used on `file` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func close() { file.sync { isOpen = false } }

let closed = DispatchSemaphore(value: 0)
let timers = DispatchQueue(label: "timers")
let timer = DispatchSource.makeTimerSource(queue: timers)
timer.schedule(deadline: .now())
timer.setEventHandler { @Sendable in
  let isUsable = file.sync { isOpen }
  if !isUsable { fail("written to a closed file") }
}
timer.setCancelHandler { @Sendable in
  #if MENDED
  close()
  #endif
  closed.signal()
}
timer.resume()
usleep(30_000)
timer.cancel()
#if !MENDED
close()
#endif
closed.wait()
