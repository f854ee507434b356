// wait-inside-queue.swift: an owner waits for its workers' group while it is on its own queue, on which the workers report.
// A worker that has not reported yet needs the queue that waits for it: both wait forever.
// Fix: the owner waits outside of the queue, and enters it when the group is empty.
import Dispatch
import Glibc

let owner = DispatchQueue(label: "owner")
let workers = DispatchGroup()
nonisolated(unsafe) var reports = 0  // SAFETY: used on `owner` alone.

for _ in 0..<2 {
  DispatchQueue.global().async(group: workers) {
    owner.sync { reports += 1 }
  }
}
usleep(40_000)
#if MENDED
workers.wait()
#endif
let sum = owner.sync {
  #if !MENDED
  workers.wait()
  #endif
  return reports
}
precondition(sum == 2)
