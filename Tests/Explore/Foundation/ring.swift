// ring.swift: three threads take two of three recursive locks each, and each ends with the lock that the next one begins with.
// Only if all three hold their first lock at once, each waits for the next one forever.
// Fix: the third takes its two in the order of their numbers like the others, so no cycle can form.
import Foundation

let ring = (0..<3).map { _ in NSRecursiveLock() }

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

func work(_ number: Int) {
  prepare(number)
  #if MENDED
  let first = min(number, (number + 1) % 3)
  let second = max(number, (number + 1) % 3)
  #else
  let first = number
  let second = (number + 1) % 3
  #endif
  ring[first].withLock { ring[second].withLock {} }
}

inThreads({ work(0) }, { work(1) }, { work(2) })
