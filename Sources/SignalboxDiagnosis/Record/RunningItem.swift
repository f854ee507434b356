// RunningItem.swift: which item a thread runs, as a report tells of it, from the words beside the frame of its drain
// (DrainFrame.swift).
import SignalboxSystem

/// An item under way, as a report tells of it.
package struct RunningItem: Sendable {
  /// What it is: `async`, `barrier`, `work item`, ...
  package var kind = ""
  /// The function of its closure or block, or the C function; 0 if that is not known.
  package var function: UInt = 0
  /// What stands in its context where the next function would, if it is a thunk.
  package var inner: [UInt] = []

  /// Nothing is known of it, or only its kind.
  package init(kind: String = "") { self.kind = kind }

  /// Reads an item's words: `frame` is the frame's object and kind, `result` a `RunningItem` whose kind stays empty if nothing is
  /// known.
  package typealias Reader =
    @convention(c) (_ frame: UInt, _ first: UInt64, _ second: UInt64, _ result: UnsafeMutableRawPointer) -> Void

  private static let reader = Atomic64(0)

  /// Sets who reads items' words, for the life of the process. It may allocate.
  package static func install(_ function: Reader) {
    reader.storeRelease(UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))))
  }

  /// The item that the thread `entry`, which stands still, runs: of its innermost drain. nil if it drains nothing.
  static func current(_ entry: ThreadTable.Entry) -> RunningItem? {
    // SAFETY: the bits are those of a C function of this type, set by `install`.
    guard let raw = UnsafeRawPointer(bitPattern: UInt(reader.loadAcquire())) else { return nil }
    var next = SafeMemory.word64(entry.record + UInt(MemoryLayout<ThreadRecord>.offset(of: \.frames)!)) ?? 0
    for _ in 0..<64 where next != 0 {
      guard let bits = SafeMemory.word64(UInt(next)), let outer = SafeMemory.word64(UInt(next) + 8) else { return nil }
      let kind = ThreadFrame.Kind(rawValue: UInt(bits & 7))
      if kind == .drainAlone || kind == .drainShared {
        guard let first = SafeMemory.word64(UInt(next) + 16), let second = SafeMemory.word64(UInt(next) + 24) else {
          return nil
        }
        var item = RunningItem()
        withUnsafeMutablePointer(to: &item) { unsafeBitCast(raw, to: Reader.self)(UInt(bits), first, second, $0) }
        return item.kind.isEmpty ? nil : item
      }
      next = outer
    }
    return nil
  }
}
