// late-enter.swift: a thread is counted as running by itself, at its start, and not by the one who starts it.
// Who waits until none is running can find none, because the thread has not come to its first line yet.
// Fix: the starter counts it before it starts it, so the count covers it from then on.
import Foundation

let condition = NSCondition()
nonisolated(unsafe) var running = 0  // SAFETY: used under `condition` alone.
nonisolated(unsafe) var done = 0  // SAFETY: used under `condition` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func begin() { condition.withLock { running += 1 } }

for _ in 0..<2 {
  #if MENDED
  begin()
  #endif
  Thread {
    #if !MENDED
    begin()
    #endif
    condition.withLock {
      done += 1
      running -= 1
      condition.broadcast()
    }
  }.start()
}
Thread.sleep(forTimeInterval: 0.04)
condition.lock()
while running > 0 { condition.wait() }
let isAllDone = done == 2
condition.unlock()
if !isAllDone { fail("a thread was not waited for") }
