// RecordedObject.swift: what happens to a thing that threads wait for, as the recorder gets it: the thing's name, once,
// and the event. Waits themselves are Waiting.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// Called behind the instruments byte, where somebody records.
package enum RecordedObject {
  /// Writes an event of a thing that is alive. `what` it is says how it is named.
  @inline(never)
  package static func write(_ event: EventKind, _ what: WaitKind, _ object: UInt, _ b: UInt64 = 0, _ c: UInt64 = 0) {
    name(what, object)
    RecordHooks.write(event, UInt64(object), b, c)
  }

  /// Names a thing that is alive, unless it has a name in this recording.
  package static func name(_ what: WaitKind, _ object: UInt) {
    RecordHooks.name(.object, UInt64(object), extra: UInt64(what.rawValue)) { ObjectNaming.name(what, object) }
  }
}
