// lost-wake-up.swift: a thread asks a flag that has a lock of its own, and then waits on a condition without asking again.
// If the flag is set and signalled between the two, nobody waits yet: the signal is lost, and the wait never ends.
// Fix: the flag is set and asked in a loop under the lock of the condition itself, so no signal can come in between.
import Foundation

let flagLock = NSLock()
let condition = NSCondition()
nonisolated(unsafe) var isReady = false  // SAFETY: used under `flagLock` alone, or in the mended form under `condition` alone.

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

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

func makeReady() {
  #if MENDED
  condition.withLock {
    isReady = true
    condition.signal()
  }
  #else
  flagLock.withLock { isReady = true }
  condition.withLock { condition.signal() }
  #endif
}

func waitUntilReady() {
  prepare()
  #if MENDED
  condition.withLock {
    while !isReady { condition.wait() }
  }
  #else
  if !flagLock.withLock({ isReady }) {
    condition.withLock { condition.wait() }
  }
  #endif
}

inThreads({ makeReady() }, { waitUntilReady() })
