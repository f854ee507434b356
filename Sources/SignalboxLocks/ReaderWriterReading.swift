// ReaderWriterReading.swift: how the diagnosis reads a reader-writer lock: whom a waiting writer waits for, whom a waiting reader.
import SignalboxDiagnosis
import SignalboxSystem

enum ReaderWriterReading {
  // Marks in the low bits of the address of a word that a waiting reader names: that it is one, and its generation.
  private static let reader: UInt = 1, odd: UInt = 2

  /// The word as a reader names it that waits since `generation`.
  static func word(ofReader address: UInt, _ generation: UInt64) -> OwnerWord {
    OwnerWord(address | reader | (generation != 0 ? odd : 0), .readerWriter)
  }

  /// Made true before the first thread sleeps in such a lock.
  static let install: Void = OwnerReading.readerWriter.install { address, result in
    // SAFETY: the diagnosis hands in an OwnerAnswer of its own.
    let answer = result.assumingMemoryBound(to: OwnerAnswer.self)
    guard let value = SafeMemory.word64(address & ~7) else { return }
    let state = ReaderWriterState(rawValue: value)
    let isReader = address & ReaderWriterReading.reader != 0
    // Let in already: it is about to wake.
    if isReader, (address & ReaderWriterReading.odd != 0) != (state.generation != 0) { return }
    answer.pointee.owner = state.writer
    if state.isWriting { return }
    // A reader is kept out by a writer that waits, whose name is the next word; a writer by every reader.
    if isReader { answer.pointee.followsNext = true } else { answer.pointee.blockedByHolders = state.readers > 0 }
  }
}
