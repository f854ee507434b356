// SourceDescription.swift: sources in the table that describes the process to all that read its memory: they are queues,
// and readers are to call them what they are (QueueDescription.swift).
import SignalboxSystem

// The loader calls what stands in this section. Addresses alone are written: nothing is there yet.
@used @section(".init_array")
private let description: @convention(c) @Sendable () -> Void = {
  ProcessDescription.write(.sourceType, UInt(bitPattern: unsafeBitCast(SourceCore.self, to: UnsafeRawPointer.self)))
}
