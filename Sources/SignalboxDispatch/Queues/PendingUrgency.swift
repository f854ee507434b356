// PendingUrgency.swift: whether a more urgent item lies in a queue behind less urgent ones, for who inspects the process. Read as PendingItems.swift
// tells; who sees to it that nothing was taken off meanwhile is QueueFigures.
import SignalboxSystem
import SignalboxWords

/// The most urgent item of a queue, and how many less urgent ones lie before it.
struct PendingUrgency: Equatable {
  let qos: DispatchQoS.QoSClass
  let behind: Int

  /// No more items are read.
  private static let most = 64

  /// nil: nothing lies behind something less urgent, or it is not known.
  ///
  /// The queue is there.
  init?(in queue: UInt, _ queueClass: DispatchQoS.QoSClass) {
    // A queue that has a class gives it to its items.
    guard queueClass == .unspecified || queueClass == .default else { return nil }
    self.init(PendingItems(classesIn: queue, atMost: Self.most).classes)
  }

  /// The same of items of these classes, in their order; one without a class counts as of the default one.
  init?(_ classes: [DispatchQoS.QoSClass]) {
    let ranks = classes.map { ($0 == .unspecified ? DispatchQoS.QoSClass.default : $0).rawValue }
    guard let most = ranks.max(), let place = ranks.firstIndex(of: most), place > 0,
      let qos = DispatchQoS.QoSClass(rawValue: most)
    else { return nil }
    (self.qos, behind) = (qos, place)
  }
}

extension ItemWords {
  /// The class that an item was given, from the words of its slot; `unspecified`: none, or it is not known.
  static func givenClass(_ slot: Slot) -> DispatchQoS.QoSClass {
    switch slot.first {
    case SlotKind.workItem: return classOfWorkItem(UInt(slot.second))
    case SlotKind.node:
      let node = UInt(slot.second)
      if SafeMemory.word64(node) == SlotKind.workItem { return classOfWorkItem(UInt(SafeMemory.word64(node + 8) ?? 0)) }
      let word = SafeMemory.word64(node + ItemNode.classPlace.word) ?? 0
      return DispatchQoS.QoSClass(rawValue: UInt32(word >> ItemNode.classPlace.bit & 0xFF)) ?? .unspecified
    default: return .unspecified
    }
  }

  private static func classOfWorkItem(_ item: UInt) -> DispatchQoS.QoSClass {
    guard qosOffset != 0, let word = SafeMemory.word64(item + qosOffset) else { return .unspecified }
    return byTag[UInt8(word & 0xFF)] ?? .unspecified
  }

  /// How far behind a work item's address its class lies; 0: not found.
  private static let qosOffset: UInt = {
    let rank = -13_579, sample = DispatchWorkItem(qos: DispatchQoS(qosClass: .utility, relativePriority: rank)) {}
    let object = UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    let rankOffset = UInt(MemoryLayout<DispatchQoS>.offset(of: \.relativePriority)!)
    return withExtendedLifetime(sample) {
      let found = (2..<16).first { SafeMemory.word64(object + $0 * 8) == UInt64(bitPattern: Int64(rank)) }
      return found.map { $0 * 8 - rankOffset } ?? 0
    }
  }()

  /// Classes by the first byte that they have in memory.
  private static let byTag: [UInt8: DispatchQoS.QoSClass] = {
    let all: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive, .unspecified]
    return Dictionary(uniqueKeysWithValues: all.map { qos in (withUnsafeBytes(of: qos) { $0[0] }, qos) })
  }()
}
