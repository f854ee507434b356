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

  /// What the lock's word says to who waits; nothing if it is gone.
  static func answer(_ address: UInt, _ isAlive: Bool) -> OwnerAnswer {
    var answer = OwnerAnswer()
    guard let value = SafeMemory.word64(address & ~7, isAlive: isAlive) else { return answer }
    let state = ReaderWriterState(rawValue: value)
    let isReader = address & reader != 0
    // Let in already: it is about to wake.
    if isReader, (address & odd != 0) != (state.generation != 0) { return answer }
    answer.owner = state.writer
    if state.isWriting { return answer }
    // A reader is kept out by a writer that waits, whose name is the next word; a writer by every reader.
    if isReader { answer.followsNext = true } else { answer.blockedByHolders = state.readers > 0 }
    return answer
  }
}
