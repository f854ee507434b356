// ItemNode+Group.swift: the group and the work item of a node, and the class that it has by them. How it lies in memory is ItemNode.swift (Items/).
import SignalboxSystem
import SignalboxWords

extension ItemNode {
  /// The class and rank that the item was given; a work item has its own.
  var qos: DispatchQoS {
    get {
      if let workItem { return Lent(workItem).use { $0.qos } }
      return givenQoS
    }
    set { givenQoS = newValue }
  }

  /// The class that the item was given, and whether it takes precedence.
  mutating func takeClass(_ given: DispatchQoS, _ flags: DispatchWorkItemFlags) {
    if flags.contains(.noQoS) { return }
    qos = given
    isEnforced = flags.contains(.enforceQoS) && !flags.contains(.inheritQoS)
  }

  var group: Lent<DispatchGroup>? {
    get { audience & 1 == 0 ? .inWord(audience) : nil }
    set { audience = newValue.map { $0.address } ?? 0 }
  }
  var workItem: Unmanaged<DispatchWorkItem>? {
    work.function == SlotKind.workItem ? .at(UInt(work.context)) : nil
  }
  /// The item is a work item, whose reference it takes over.
  mutating func take(_ workItem: Unmanaged<DispatchWorkItem>) {
    work = RawWork(function: SlotKind.workItem, context: UInt64(UInt(bitPattern: workItem.toOpaque())))
  }
}
