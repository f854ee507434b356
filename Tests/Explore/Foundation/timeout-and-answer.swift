// timeout-and-answer.swift: who waits for an answer with a time limit gives up whenever the wait says that its time is over.
// The answer can come between the end of the time and the return from the wait: then it is both given and given up.
// Fix: what counts is whether the answer is there, asked under the lock, and who answers sees there whether anyone still waits.
import Foundation

let condition = NSCondition()
nonisolated(unsafe) var answer: String?  // SAFETY: used under `condition` alone.
nonisolated(unsafe) var hasGivenUp = false  // SAFETY: used under `condition` alone.

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

func reply() {
  condition.withLock {
    if !hasGivenUp { answer = "yes" }
    condition.signal()
  }
}

func ask() {
  let limit = Date(timeIntervalSinceNow: 0.04)
  condition.lock()
  var isOver = false
  while answer == nil && !isOver { isOver = !condition.wait(until: limit) }
  #if MENDED
  hasGivenUp = answer == nil
  #else
  hasGivenUp = isOver
  #endif
  if hasGivenUp && answer != nil { fail("an answer was given and given up") }
  condition.unlock()
}

inThreads({ ask() }, { reply() })
