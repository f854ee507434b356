// dependency-too-late.swift: an operation is added to a queue first, and told afterwards which other operation it depends on.
// A queue that starts it before that is known never waits for the other one, whose result is not there yet.
// Fix: the dependency is set before either is added, so the second one cannot start before the first has ended.
import Foundation

let lock = NSLock()
nonisolated(unsafe) var isLoaded = false  // SAFETY: used under `lock` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

let queue = OperationQueue()
queue.maxConcurrentOperationCount = 2
let load = BlockOperation { lock.withLock { isLoaded = true } }
let show = BlockOperation {
  Thread.sleep(forTimeInterval: 0.04)
  if !lock.withLock({ isLoaded }) { fail("shown before it was loaded") }
}
#if MENDED
show.addDependency(load)
queue.addOperation(show)
#else
queue.addOperation(show)
show.addDependency(load)
#endif
queue.addOperation(load)
show.waitUntilFinished()
