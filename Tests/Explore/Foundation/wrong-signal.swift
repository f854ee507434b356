// wrong-signal.swift: three threads wait for their turn on one condition, and whoever has had its turn signals one waiter.
// The signal can wake one whose turn it is not: that one waits again, and the one whose turn it is sleeps for ever.
// Mend: broadcast, so the one whose turn it is is always among those that are woken.
import Foundation

let condition = NSCondition()
nonisolated(unsafe) var turn = 0  // SAFETY: used under `condition` alone.

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

func takeTurn(_ number: Int) {
  prepare(number)
  condition.lock()
  while turn != number { condition.wait() }
  turn += 1
  #if MENDED
  condition.broadcast()
  #else
  condition.signal()
  #endif
  condition.unlock()
}

inThreads({ takeTurn(0) }, { takeTurn(1) }, { takeTurn(2) })
