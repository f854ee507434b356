// OperationPoint.swift: what operations and their queues tell the instruments before they do something. The engine's own are passed in the
// engine.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits

/// For instruments that record each operation: `object` is about to be used. Off: one read of a byte.
@inline(__always) func passPoint(_ primitive: EnginePrimitive, _ object: NSObject) {
  guard _slowPath(!Instruments.areOff) else { return }
  InstrumentHooks.passAnywhere(primitive, object: UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
