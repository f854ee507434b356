// foundation.swift: what a schedule of a small program with Foundation's threads and locks costs; it computes nothing. For
// Scripts/explore-figures.
import Foundation

final class Shared: @unchecked Sendable {
  // SAFETY: guarded by `changed`.
  let changed = NSCondition()
  var ready = 0
}

let shared = Shared()
for _ in 0..<2 {
  Thread.detachNewThread {
    for _ in 0..<4 {
      shared.changed.lock()
      shared.ready += 1
      shared.changed.signal()
      shared.changed.unlock()
    }
  }
}
shared.changed.lock()
while shared.ready < 8 { shared.changed.wait() }
shared.changed.unlock()
