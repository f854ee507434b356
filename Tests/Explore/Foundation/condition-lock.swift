// condition-lock.swift: a consumer asks a condition lock whether there is data, and if so locks it for the condition "data".
// Two consumers can both get the answer yes; the first one takes the data, and the second waits for what never comes.
// Fix: it tries to lock for the condition, which asks and locks in one step, and goes away if that fails.
import Foundation

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

let none = 0
let data = 1
let lock = NSConditionLock(condition: none)

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

func produce() {
  lock.lock(whenCondition: none)
  lock.unlock(withCondition: data)
}

func consume(after rounds: Int) {
  prepare(rounds)
  #if MENDED
  guard lock.tryLock(whenCondition: data) else { return }
  #else
  let limit = Date(timeIntervalSinceNow: 10)
  guard lock.condition == data else { return }
  let isThere = lock.lock(whenCondition: data, before: limit)
  if !isThere { fail("another one has taken the data") }
  #endif
  lock.unlock(withCondition: none)
}

inThreads({ produce() }, { consume(after: 2) }, { consume(after: 10) })
