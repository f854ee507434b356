// RecordedNames.swift: what things are called in a recording, each once. What they are called in reports is
// ObjectNaming.swift (SignalboxWaits); a queue and a group differ, as reports say in which state they are.
import SignalboxDispatch
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Called where a subscriber of the recorder is. Things that are named are alive.
package enum RecordedNames {
  /// Names a thing that a thread may wait for.
  package static func name(_ kind: WaitKind, _ object: UInt) {
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
}
