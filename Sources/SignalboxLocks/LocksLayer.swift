// LocksLayer.swift: this module as the diagnosis knows it: how a reader-writer lock's word is read. Locks whose word is their holder's the
// diagnosis reads itself; names of locks are in its table (LockNames).
import SignalboxDiagnosis

/// Registered while the image is loaded, so before any lock is made.
struct LocksLayer: DiagnosedLayer {
  func answer(_ word: OwnerWord, isAlive: Bool) -> OwnerAnswer? {
    word.reading == .readerWriter ? ReaderWriterReading.answer(word.address, isAlive) : nil
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Layers.register(LocksLayer()) }
