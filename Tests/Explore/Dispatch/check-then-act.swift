// check-then-act.swift: a buyer asks on the queue whether a seat is free, and takes it on the queue in a second step.
// Two buyers can both get the answer yes before either takes it, and the seat is sold twice.
// Fix: asked and taken in one step on the queue, so what was seen still holds.
import Dispatch
import Glibc

let office = DispatchQueue(label: "office")
let group = DispatchGroup()
nonisolated(unsafe) var free = 1  // SAFETY: used on `office` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func buy() {
  #if MENDED
  office.sync {
    if free > 0 { free -= 1 }
  }
  #else
  if office.sync(execute: { free > 0 }) {
    office.sync { free -= 1 }
  }
  #endif
}

for number in 0..<2 {
  DispatchQueue.global().async(group: group) {
    if number > 0 { usleep(30_000) }
    buy()
  }
}
group.wait()
let isOversold = office.sync { free < 0 }
if isOversold { fail("a seat was sold twice") }
