// EventCounts.swift: which of the process's event descriptors counts up when something is done.
import Foundation
import SignalboxSystem

/// The kernel's counters behind event descriptors (eventfd), as /proc shows them.
enum EventCounts {
  /// The one descriptor whose counter goes up by one each time `deed` is done, and stays when it is not, three times in a row; nil
  /// if there is none, or no /proc. Others may be opened, closed and counted at the same time. A sample may miss a step of the one
  /// that is wanted, so when nothing is left the search begins anew.
  static func descriptor(that deed: () -> Void) -> Int32? { search.withLock { find(deed) } }

  /// One search at a time: two of them can fall in step, and then each takes the other's descriptor for a candidate forever.
  private static let search = NSLock()

  private static func find(_ deed: () -> Void) -> Int32? {
    var steady: Set<Int32>?
    var rounds = 0
    for _ in 0..<64 {
      let moved = moved(by: deed)
      let left = steady?.intersection(moved) ?? moved
      (steady, rounds) = left.isEmpty ? (nil, 0) : (left, rounds + 1)
      if rounds >= 3, left.count == 1 { return left.first }
    }
    return nil
  }

  /// The descriptors that one `deed` moves by one, and that do not move without it.
  private static func moved(by deed: () -> Void) -> Set<Int32> {
    let before = all
    deed()
    let after = all
    let later = all
    return Set(after.keys.filter { after[$0] == (before[$0] ?? 0) + 1 && later[$0] == after[$0] })
  }

  /// Sets its counter to zero.
  static func clear(_ descriptor: Int32) { EventDescriptor.clear(descriptor) }

  private static var all: [Int32: UInt64] {
    let folder = "/proc/self/fdinfo"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var counts: [Int32: UInt64] = [:]
    for name in names {
      guard let descriptor = Int32(name), let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8),
        let count = count(in: text)
      else { continue }
      counts[descriptor] = count
    }
    return counts
  }

  /// The counter in the text of one descriptor: hexadecimal, behind its name.
  private static func count(in text: String) -> UInt64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("eventfd-count:") }
    return line.flatMap { UInt64($0.dropFirst("eventfd-count:".count).trimmingCharacters(in: .whitespaces), radix: 16) }
  }
}
