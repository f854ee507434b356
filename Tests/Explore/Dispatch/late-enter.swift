// late-enter.swift: work enters the group at its own start, and not where it is submitted.
// Who waits for the group can find it empty, because the work has not started yet, and go on too early.
// Fix: the submitter enters the group first, so the group is not empty until the work has left it.
import Dispatch
import Glibc

let group = DispatchGroup()
let results = DispatchQueue(label: "results")
nonisolated(unsafe) var count = 0  // SAFETY: used on `results` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

for _ in 0..<2 {
  #if MENDED
  group.enter()
  #endif
  DispatchQueue.global().async {
    #if !MENDED
    group.enter()
    #endif
    results.sync { count += 1 }
    group.leave()
  }
}
usleep(40_000)
group.wait()
let isComplete = results.sync { count == 2 }
if !isComplete { fail("the group did not wait for all") }
