// OperationPoint.swift: the event before an operation or its queue does something. The engine's own are emitted in the
// engine.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// `object` is about to be used. Off: one read of a byte.
@inline(__always) func passPoint(_ kind: EventKind, _ object: NSObject) {
  Events.emit(kind, UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
