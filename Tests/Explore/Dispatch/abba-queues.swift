// abba-queues.swift: work on each of two serial queues does something on the other queue and waits for it.
// If both are at work at once, each queue is busy with waiting for the other, forever.
// Fix: the one direction is asynchronous, so no queue waits for one that waits for it.
import Dispatch

let accounts = DispatchQueue(label: "accounts")
let audit = DispatchQueue(label: "audit")
let group = DispatchGroup()

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

DispatchQueue(label: "transfer").async(group: group) {
  accounts.sync { audit.sync {} }
}
DispatchQueue(label: "report").async(group: group) {
  prepare(3)
  audit.sync {
    #if MENDED
    accounts.async(group: group) {}
    #else
    accounts.sync {}
    #endif
  }
}
group.wait()
