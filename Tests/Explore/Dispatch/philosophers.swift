// philosophers.swift: four philosophers take the semaphore on the left, then the one on the right.
// If each has its left one before any has two, every one of them waits for its neighbour forever.
// Fix: each takes the one with the lower number first, so no cycle of waits can form.
import Dispatch

let seats = 4
let forks = (0..<seats).map { _ in DispatchSemaphore(value: 1) }
let group = DispatchGroup()

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func dine(at seat: Int) {
  let right = (seat + 1) % seats
  #if MENDED
  let (first, second) = (min(seat, right), max(seat, right))
  #else
  let (first, second) = (seat, right)
  #endif
  forks[first].wait()
  forks[second].wait()
  forks[second].signal()
  forks[first].signal()
}

for seat in 0..<seats {
  DispatchQueue(label: "philosopher \(seat)").async(group: group) {
    prepare(seat)
    dine(at: seat)
  }
}
group.wait()
