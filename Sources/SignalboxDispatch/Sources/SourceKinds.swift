// SourceKinds.swift: making a source of any kind from plain numbers, as C does. Each kind has a file of its own.
import SignalboxSystem

/// The kinds of sources that C can ask for.
package enum SourceKind: Int32, Sendable {
  case timer = 1, dataAdd, dataOr, dataReplace, read, write, signal
}

/// One function for all kinds.
package enum SourceKinds {
  /// A source, inactive; nil if the kind does not know such a handle or mask. A nil queue means the default global queue.
  package static func make(_ kind: SourceKind, handle: UInt, mask: UInt, queue: DispatchQueue?) -> DispatchSource? {
    let target = DispatchSource.target(queue)
    switch kind {
    case .timer: return handle == 0 && mask & ~1 == 0 ? TimerSource(queue: queue, flags: mask) : nil  // the one flag: strict
    case .dataAdd: return data(.add, handle, mask, target)
    case .dataOr: return data(.or, handle, mask, target)
    case .dataReplace: return data(.replace, handle, mask, target)
    case .read: return descriptor(.readable, handle, mask, target)
    case .write: return descriptor(.writable, handle, mask, target)
    case .signal: return signal(handle, mask, target)
    }
  }

  private static func data(
    _ merging: DataCore.Merging, _ handle: UInt, _ mask: UInt, _ target: DispatchQueue
  ) -> DispatchSource? { handle == 0 && mask == 0 ? DispatchSource(DataCore(merging, target: target)) : nil }

  private static func descriptor(
    _ direction: DescriptorDirection, _ handle: UInt, _ mask: UInt, _ target: DispatchQueue
  ) -> DispatchSource? {
    guard mask == 0, let descriptor = Int32(exactly: handle) else { return nil }
    return DispatchSource(DescriptorCore(direction, descriptor, target: target))
  }

  private static func signal(_ handle: UInt, _ mask: UInt, _ target: DispatchQueue) -> DispatchSource? {
    guard mask == 0, let number = Int32(exactly: handle) else { return nil }
    switch SignalNumber.judge(number) {
    case .watchable: return DispatchSource(SignalCore(number, target: target))
    case .unknown: return nil
    case .notForPrograms:
      Misuse.report("no source is made for signal \(number): \(SignalNumber.refusal)")
      return nil
    }
  }
}
