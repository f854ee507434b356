// if-for-while.swift: a consumer that was woken takes a message without asking again whether there is one.
// Between the signal and its return from the wait another consumer can take it, and then there is none to remove: a crash.
// Fix: `while` instead of `if`: the message is taken under the same lock under which it was seen.
import Foundation

let condition = NSCondition()
nonisolated(unsafe) var messages: [String] = []  // SAFETY: used under `condition` alone.

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

func send() {
  for text in ["one", "two"] {
    condition.withLock {
      messages.append(text)
      condition.signal()
    }
  }
}

func receive(after rounds: Int) {
  prepare(rounds)
  condition.lock()
  #if MENDED
  while messages.isEmpty { condition.wait() }
  #else
  if messages.isEmpty { condition.wait() }
  #endif
  _ = messages.removeFirst()
  condition.unlock()
}

inThreads({ send() }, { receive(after: 2) }, { receive(after: 3) })
