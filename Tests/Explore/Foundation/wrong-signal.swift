// wrong-signal.swift: four threads wait for their turn on one condition, and whoever has had its turn signals one waiter.
// The signal can wake one whose turn it is not: that one waits again, and the one whose turn it is sleeps forever.
// Fix: broadcast, so the one whose turn it is is always among those that are woken.
import Foundation

let condition = NSCondition()
nonisolated(unsafe) var turn = 0  // SAFETY: used under `condition` alone.

func takeTurn(_ number: Int) {
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

let group = DispatchGroup()
for number in 1...3 {
  group.enter()
  Thread {
    if number > 1 { Thread.sleep(forTimeInterval: 0.03) }
    takeTurn(number)
    group.leave()
  }.start()
}
takeTurn(0)
group.wait()
