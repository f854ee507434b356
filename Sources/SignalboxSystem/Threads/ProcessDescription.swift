// ProcessDescription.swift: what a process says of itself to whoever reads its memory from outside, or a core dump of it: where its tables
// lie, and how. Who reads it is SignalboxInspector; what of it is torn when, its README.md.
import CSignalbox
import SignalboxWords

/// This process's table.
///
/// Thread safety: any thread may write; two that write one word write the same.
package enum ProcessDescription {
  /// "SIGNLBOX".
  package static let mark: UInt64 = 0x584F_424C_4E47_4953
  /// What no word tells: the meaning of a record's first nine words, of owner words and of the kinds of waits, the forms of locks' words,
  /// the places of an item's words. Another number for any change of these; a new word of the table changes nothing.
  package static let version: UInt64 = 1
  /// How many words there are.
  package static let count = Int(SB_DESCRIPTION_WORDS)
  /// How many a table has that does not say so.
  package static let firstCount = 64
  /// The name of the note that leads to the table, with its zero, and what stands before that: the sizes of name and contents, the kind.
  package static let note: [UInt8] = [10, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0] + Array("Signalbox\0\0\0".utf8)

  /// Says one thing more.
  package static func write(_ word: DescribedWord, _ value: UInt64) { sb_describe(Int32(word.rawValue), value) }
  package static func write(_ word: DescribedWord, _ value: UInt) { write(word, UInt64(value)) }
  /// Where the table lies.
  package static var table: UInt { sb_description_address() }
  /// Whether it was stated.
  package static func isWritten(_ word: DescribedWord) -> Bool { sb_described(Int32(word.rawValue)) != 0 }

  /// The first thread has its slot: the tables are stated, then that there are any.
  static func begin(highestSlot: UInt) {
    write(.slots, UInt(bitPattern: sb_slot_at(0)))
    write(.slotSize, UInt(MemoryLayout<sb_slot>.stride))
    write(.slotCount, UInt(SB_SLOT_COUNT))
    write(.highestSlot, highestSlot)
    write(.forkedChild, UInt(bitPattern: sb_forked_child_address()))
    write(.frames, UInt(SB_THREAD_FRAMES))
    write(.shared, UInt(SB_THREAD_SHARED))
    write(.waits, UInt(bitPattern: sb_wait_at(0)))
    write(.waitSize, UInt(MemoryLayout<sb_wait>.stride))
    func list(_ place: DescribedWord, _ offset: Int?, _ size: DescribedWord, _ count: Int) {
      write(place, UInt((offset ?? 0) / 8))
      write(size, UInt(count))
    }
    list(.waitWords, MemoryLayout<sb_wait>.offset(of: \.words), .waitWordCount, Int(SB_WAIT_WORDS))
    list(.waitFrames, MemoryLayout<sb_wait>.offset(of: \.frames), .waitFrameCount, Int(SB_WAIT_FRAMES))
    list(.waitShared, MemoryLayout<sb_wait>.offset(of: \.shared), .waitSharedCount, Int(SB_WAIT_SHARED))
    list(.waitStack, MemoryLayout<sb_wait>.offset(of: \.stack), .waitStackCount, Int(SB_WAIT_STACK))
    write(.wordCount, UInt(count))
    write(.version, version)
    write(.mark, mark)
  }

  /// Whether this process hides its memory from other processes of its user: PR_SET_DUMPABLE.
  package static var isHidden: Bool { !sb_is_dumpable() }

  /// Any process of this user may read this one's memory from now on, also where the kernel lets only a process's parents do so.
  package static func allowReaders() { sb_allow_readers() }
}
