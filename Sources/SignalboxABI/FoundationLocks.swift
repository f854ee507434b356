// FoundationLocks.swift: has the locks of the toolchain's Foundation seen. Alone: this library alone comes under
// programs that know nothing of it. It does so where the program asks for the order of locks.
import SignalboxDiagnosis

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { ForeignLocks.watch() }
