// abba.swift: two transfers in opposite directions lock the same two accounts in opposite orders.
// Each can hold its first lock while it waits for the other's, and then both wait forever.
// Fix: both lock the account with the lower number first, so no cycle of waits can form.
import Foundation

final class Account: @unchecked Sendable {
  // SAFETY: `balance` is used under `lock` alone.
  let lock = NSLock()
  let number: Int
  var balance = 100

  init(number: Int) { self.number = number }
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

func transfer(_ sum: Int, from: Account, to: Account) {
  #if MENDED
  let (first, second) = from.number < to.number ? (from, to) : (to, from)
  #else
  let (first, second) = (from, to)
  #endif
  first.lock.lock()
  second.lock.lock()
  from.balance -= sum
  to.balance += sum
  second.lock.unlock()
  first.lock.unlock()
}

let rent = Account(number: 1)
let food = Account(number: 2)
inThreads(
  { transfer(10, from: rent, to: food) },
  {
    prepare()
    transfer(20, from: food, to: rent)
  })
precondition(rent.balance == 110 && food.balance == 90)
