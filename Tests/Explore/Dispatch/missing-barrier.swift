// missing-barrier.swift: a concurrent queue guards two fields that belong together, and the writer is submitted like a reader.
// A reader can run between the two changes of the writer and sees a sum that never was.
// Fix: the writer is a barrier, so it runs alone and no reader sees the fields between its changes.
import Dispatch
import Glibc

/// A number with a queue of its own: each access by itself is safe.
final class Cell: @unchecked Sendable {
  // SAFETY: `value` is used on `queue` alone.
  private let queue = DispatchQueue(label: "cell")
  private var value = 50

  func add(_ sum: Int) { queue.sync { value += sum } }
  func read() -> Int { queue.sync { value } }
}

let left = Cell()
let right = Cell()
let table = DispatchQueue(label: "table", attributes: .concurrent)
let group = DispatchGroup()

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

#if MENDED
let flags: DispatchWorkItemFlags = .barrier
#else
let flags: DispatchWorkItemFlags = []
#endif
table.async(group: group, flags: flags) {
  left.add(-10)
  right.add(10)
}
table.async(group: group) {
  usleep(30_000)
  if left.read() + right.read() != 100 { fail("the sum is not 100") }
}
group.wait()
