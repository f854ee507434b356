// IOTable.swift: which descriptors are under the control of channels: all channels of one number share one IODescriptor.
import SignalboxLocks
import SignalboxSystem

enum IOTable {
  private final class Store: Sendable {
    let lock = UnfairLock()
    // SAFETY: guarded by `lock`.
    nonisolated(unsafe) var descriptors: [Int32: IODescriptor] = [:]
  }
  private static let store = Store()

  /// Takes control of a descriptor, or shares it.
  static func join(_ number: Int32, _ kind: DescriptorKind) -> IODescriptor {
    let status = DescriptorStatus(of: number)
    let (found, stale) = store.lock.withLock { () -> (IODescriptor, IODescriptor?) in
      let known = store.descriptors[number]
      // One that its owner has closed under us is not what this number means now.
      if let known, !known.isGone, known.isSame(as: status) {
        known.users += 1
        return (known, nil)
      }
      let made = make(number, kind, status)
      made.users += 1
      return (made, known)
    }
    stale?.wasClosed()
    return found
  }

  private static func make(_ number: Int32, _ kind: DescriptorKind, _ status: DescriptorStatus?) -> IODescriptor {
    let made = IODescriptor(number: number, kind: kind, status: status)
    // Under the lock, as taking it back is: the next one to control this number must not take our flag for its owner's.
    if kind == .stream || kind == .socket { made.blocksAgain = Descriptors.stopBlocking(number) }
    store.descriptors[number] = made
    return made
  }

  /// A channel is done with the descriptor; `cleanup` is called when all are, and nothing of ours touches it any more; at once if
  /// others are not and it does not wait for them.
  static func leave(_ descriptor: IODescriptor, waitsForOthers: Bool, _ cleanup: @escaping @Sendable () -> Void) {
    let (isLast, isIdle) = store.lock.withLock { () -> (Bool, Bool) in
      descriptor.users -= 1
      if waitsForOthers || descriptor.users == 0 { descriptor.cleanups.append(cleanup) }
      guard descriptor.users == 0 else { return (false, false) }
      if descriptor.path == nil {
        if store.descriptors[descriptor.number] === descriptor { store.descriptors[descriptor.number] = nil }
        if descriptor.blocksAgain, !descriptor.isGone { Descriptors.blockAgain(descriptor.number) }
      }
      return (true, store.descriptors.isEmpty)
    }
    guard isLast else { return waitsForOthers ? () : cleanup() }
    descriptor.end()
    if isIdle { IOBlocks.shrink() }
  }

  /// Whether the descriptor is under control.
  static func controls(_ number: Int32) -> Bool { store.lock.withLock { store.descriptors[number] != nil } }
}
