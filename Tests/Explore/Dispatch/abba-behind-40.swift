// abba-behind-40.swift: two workers nest forty pairs of queues in the same order, and one more pair in opposite orders.
// Only a switch within that one pair leaves each in the queue that the other wants: both wait forever.
// Fix: the last pair is nested in the same order too, so no cycle of waits can form.
import Dispatch

let outer = (0...40).map { DispatchQueue(label: "outer \($0)") }
let inner = (0...40).map { DispatchQueue(label: "inner \($0)") }
let group = DispatchGroup()

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func visit(_ first: DispatchQueue, then second: DispatchQueue) {
  first.sync { second.sync {} }
}

DispatchQueue(label: "forwards").async(group: group) {
  for number in 0...40 { visit(outer[number], then: inner[number]) }
}
DispatchQueue(label: "backwards").async(group: group) {
  prepare(3)
  for number in 0..<40 { visit(outer[number], then: inner[number]) }
  #if MENDED
  visit(outer[40], then: inner[40])
  #else
  visit(inner[40], then: outer[40])
  #endif
}
group.wait()
