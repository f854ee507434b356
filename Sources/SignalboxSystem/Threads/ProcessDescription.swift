// ProcessDescription.swift: what a process says of itself to whoever reads its memory from outside, or a core dump of it: where its tables
// lie, and how. Who reads it is SignalboxInspector; what of it is torn when, SignalboxDiagnosis/Inspection/README.md.
import CSignalbox

/// The words of the table, by their place. A word is 0 until it is known, and does not change then.
package enum DescribedWord: Int, CaseIterable, Sendable {
  /// `ProcessDescription.mark`, once the words of the tables stand; the version of all that no word tells.
  case mark = 0, version
  /// The table of threads (`struct sb_slot`): where, how long an entry is, how many there are, where the highest that was used is written.
  case slots, slotSize, slotCount, highestSlot
  /// How far into a thread's record its innermost frame and its shared holds lie.
  case frames, shared
  /// The records of waits (`struct sb_wait`): where, how long one is; where in one its lists begin, in words, and how long they are.
  case waits, waitSize, waitWords, waitWordCount, waitFrames, waitFrameCount, waitShared, waitSharedCount, waitStack
  case waitStackCount
  /// Where the main thread's owner value is written; the kernel's numbers of the diagnosis's own threads, eight of 32 bits.
  case mainThread, ownThreads
  /// Of a queue: how far behind its address its state, target, kind and label lie; the main queue.
  case queueState, queueTarget, queueKind, queueLabel, mainQueue
  /// The fields of a queue's state, as masks.
  case stateOwner, stateWidth, stateEnqueued, stateBarrier, stateInactive, stateSuspended
  /// Of a work item: its whereabouts and its closure.
  case itemPlace, itemClosure
  /// Functions that stand before others: of blocks, and of the jobs of tasks in each role, the isolated first.
  case blockCaller, jobIsolated, jobPreferring, jobOfPool, jobUnbound
  /// Of an operation: its state and who runs it.
  case operationState, operationRunner
  /// Where a byte is written that is not 0 in the child of a fork, whose slots name its parent's threads.
  case forkedChild
  /// The register of queues (PlaceTable.swift): the first place; where it is written how many were handed out; where the segments stand, each by
  /// the address at which its place 0 would lie.
  case firstPlace, placesUsed, placeSegments
  /// Of a queue: how much of it is to be copied; how far behind its address its limit and its class lie, and the places of its list: where the
  /// next item goes, the link to the first page, where the first item lies, what was taken off before.
  case queueSize, queueLimit, queueClass, listTail, listLink, listHead, listTaken
  /// How many items lie in a queue itself, and on each page.
  case itemsInside, itemsOnPage
  /// The classes' bytes, from unspecified and background on, the lowest byte first; the type of workloops, which is an object's first word.
  case classBytes, workloopType
}

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
  /// The name of the note that leads to the table, with its zero, and what stands before that: the sizes of name and contents, the kind.
  package static let note: [UInt8] = [10, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0] + Array("Signalbox\0\0\0".utf8)

  /// Says one thing more.
  package static func write(_ word: DescribedWord, _ value: UInt64) { sb_describe(Int32(word.rawValue), value) }
  package static func write(_ word: DescribedWord, _ value: UInt) { write(word, UInt64(value)) }
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
    write(.version, version)
    write(.mark, mark)
  }

  /// Any process of this user may read this one's memory from now on, also where the kernel lets only a process's parents do so.
  package static func allowReaders() { sb_allow_readers() }
}
