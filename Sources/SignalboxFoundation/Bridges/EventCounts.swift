// EventCounts.swift: which of the process's event descriptors counts up when something is done.
import Foundation
import SignalboxSystem

/// The kernel's counters behind event descriptors (eventfd), as /proc shows them.
enum EventCounts {
  /// The one descriptor whose counter goes up by one each time `deed` is done; nil if there is none, or no /proc. Others may be
  /// opened, closed and counted at the same time: one that keeps step three times over is asked again until it is alone.
  static func descriptor(that deed: () -> Void) -> Int32? {
    var before = all
    var steady: Set<Int32>?
    for round in 1...16 {
      deed()
      let now = all
      let moved = Set(now.keys.filter { now[$0] == (before[$0] ?? 0) + 1 })
      steady = steady?.intersection(moved) ?? moved
      before = now
      if round >= 3, let steady, steady.count <= 1 { return steady.first }
    }
    return nil
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
