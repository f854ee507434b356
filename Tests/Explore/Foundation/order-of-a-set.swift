// order-of-a-set.swift: one thread takes two locks at a time in the order of a set, which is that of hashed addresses, the other in the order
// of their making. The two orders differ somewhere, and there each can hold the lock that the other wants.
// Fix: both go by the set.
import Foundation

final class Account: Hashable, @unchecked Sendable {
  // SAFETY: `balance` is used under `lock` alone.
  let lock = NSLock()
  var balance = 0

  static func == (left: Account, right: Account) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

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

func moveBetweenAll(_ order: [Account]) {
  for (index, from) in order.enumerated() {
    for to in order.dropFirst(index + 1) {
      from.lock.lock()
      to.lock.lock()
      from.balance -= 1
      to.balance += 1
      to.lock.unlock()
      from.lock.unlock()
    }
  }
}

let made = (0..<6).map { _ in Account() }
let listed = Array(Set(made))
inThreads(
  { moveBetweenAll(listed) },
  {
    prepare()
    #if MENDED
    moveBetweenAll(listed)
    #else
    moveBetweenAll(made)
    #endif
  })
precondition(made.reduce(0) { $0 + $1.balance } == 0)
