// RecordedNames.swift: what things are called in a recording, each once. What they are called in reports is
// ObjectNaming.swift (SignalboxWaits); a queue and a group differ, as reports say in which state they are.
import SignalboxDispatch
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Called by the recorder's subscriber. Things that are named are alive.
enum RecordedNames {
  /// Names a thing that a thread may wait for.
  static func name(_ kind: WaitKind, _ object: UInt) {
    if kind.isQueue { return name(queue: object) }
    RecordHooks.name(.object, UInt64(object), extra: UInt64(kind.rawValue)) {
      kind == .group ? Lent<DispatchGroup>(at: UInt64(object)).use { groupName($0, object) } : ObjectNaming.name(kind, object)
    }
  }

  /// A recording has the number of members for each moment.
  private static func groupName(_ group: DispatchGroup, _ address: UInt) -> String {
    "group " + (group.name.map { "\"\($0)\"" } ?? "0x\(String(address, radix: 16))")
  }

  static func name(queue address: UInt) {
    if _fastPath(RecordHooks.isKnown(UInt64(address))) { return }
    Lent<DispatchQueue>(at: UInt64(address)).use { queue in
      let serviceClass = UInt64(ServiceClass.count - queue.serviceClass.rawValue)
      RecordHooks.nameNew(.queue, UInt64(address), UInt64(queue.kind.rawValue) | serviceClass << 8) { queue.name }
    }
  }

  /// Of a source's timer or the source, by its queue's address and 1; or of a queue that an item is to be submitted to.
  static func name(timer place: UInt) {
    guard place & 1 == 1 else { return name(queue: place) }
    RecordHooks.name(.object, UInt64(place)) { Lent<SourceCore>(at: UInt64(place & ~1)).use { $0.recordedName } }
  }

  /// Of a thing that no thread waits for: as its layer names it.
  static func name(_ kind: NameKind, _ address: UInt64, of event: Event, _ which: (RecordedTitles) -> String) {
    RecordHooks.name(kind, address) {
      Layers.first { $0.recordedTitles(event.kind, event.object, event.second) }.map(which) ?? ""
    }
  }

  /// Of an operation that has a name, its queue, its class. An operation without a name of its own is called by its
  /// class or its block's function: there may be millions of such.
  static func name(operation: UInt, _ queueAndTraits: UInt64, _ label: UInt64) {
    let queue = queueAndTraits & ~OperationTraits.mask
    if queue != 0 { name(.operationQueue, UInt(queue)) }
    if queueAndTraits & OperationTraits.isNamed != 0 { name(.operation, operation) }
    guard label & OperationTraits.isClass != 0 else { return }
    let type = label & ~OperationTraits.isClass
    // SAFETY: the operation's own word: where the description of its class lies, which stays.
    RecordHooks.name(.type, type) { "\(unsafeBitCast(UInt(type), to: Any.Type.self))" }
  }
}
