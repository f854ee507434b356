// TaskRegisterLayout.swift: how the register of tasks lies in memory. TaskRegister (SignalboxObservers) writes it while
// figures are on, with TaskFunctions; TaskTimes and TaskFunctionSum (SignalboxView) read it.
//
//   bucket     eight addresses of tasks, 0: none; then eight entries, of seven words each. A task's entry stands in the
//              bucket that the hash of its address names, or in one of the three behind that
//   entry      0: the task's number, and below bit 32 how many of its parts have begun
//              1: when the task was queued or begun for the first time   2: when the last part began, 0: none has
//              3: for how long the parts that have ended ran (span), how many those are, and the task's tag
//              4: for how long it was queued before the parts that have begun (span), how many those are, and its row
//              5: since when the task is queued, 0: it is not   6: when a part ended last (moment)
//   functions  for each row the function with which tasks begin, and the one that it may call, if it is a thunk; row 0
//              is of tasks whose beginning was not seen, or for which no row was left
//   sums       64 tables of rows, of eight words each: tasks, parts, and spans: busy, queued, between parts. Threads with
//              the lowest slots have a table each, all others share the last one; a row's sum is that of all tables
//
// Times are ticks of the processor's counter. A span counts 16 ticks, a moment 256. Below bit 16 a word of a span has
// two bits of the number of its parts, then the tag, which is the lowest bits of the task's number, or the row. A
// moment has the lowest bits of the number of parts.
//
// An entry keeps its address: of tasks that lie there one after the other it has the last one. It is that task's if the
// number is its, and the words are the same before and after. Whichever thread has the task writes: the one that
// submits it, then the one that runs it. A part's end is written by the thread that ran it, when another thread may
// have the task already, or another task its address. So words 3 and 6 are changed by compare and swap, word 3 if it
// has the task's tag, and word 6 if the counts are the part's still. A moment counts only for the part whose number it
// has. A new task begins with the moment at which it was seen first: a late swap expects another moment, and fails.
//
// A thread may be stopped for long between two of its words, and then two readings are the same. So words 0, 3, 4 and 6
// each say of how many parts they are: if they disagree, the entry is being written, and readers learn nothing of it.
/// The places in the register of tasks.
@usableFromInline package enum TaskRegisterLayout {
  @inlinable @inline(__always) package static var bucketEntries: Int { 8 }
  @inlinable @inline(__always) package static var entryWords: Int { 7 }
  @inlinable @inline(__always) package static var bucketWords: Int { bucketEntries * (1 + entryWords) }
  @inlinable @inline(__always) package static var bucketsTried: Int { 4 }
  /// Eight entries each, of 64 bytes: for 131,072 addresses at which tasks lie. Of others the times are not known.
  @inlinable @inline(__always) package static var buckets: Int { 16_384 }

  /// The words of an entry.
  @usableFromInline package enum Entry {
    @inlinable @inline(__always) package static var counts: Int { 0 }
    @inlinable @inline(__always) package static var first: Int { 1 }
    @inlinable @inline(__always) package static var last: Int { 2 }
    @inlinable @inline(__always) package static var busy: Int { 3 }
    @inlinable @inline(__always) package static var queued: Int { 4 }
    @inlinable @inline(__always) package static var queuedSince: Int { 5 }
    @inlinable @inline(__always) package static var ended: Int { 6 }
  }

  /// The words of the buckets in which a task may stand, by how many words behind the register's beginning they begin.
  @inlinable @inline(__always) package static func places(of address: UInt64, buckets: UInt64) -> [UInt64] {
    (0..<UInt64(bucketsTried)).map { (bucket(of: address) &+ $0) % max(1, buckets) * UInt64(bucketWords) }
  }

  /// The number of the first of its buckets, but for the number of buckets.
  @inlinable @inline(__always) package static func bucket(of address: UInt64) -> UInt64 {
    ((address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 40
  }

  // MARK: spans and moments

  /// Below these bits stand the lowest bits of a number of parts; in a word of a span two of them, and a tag or a row.
  @inlinable @inline(__always) package static var tagBits: UInt64 { 16 }
  @inlinable @inline(__always) package static var tag: UInt64 { 1 << tagBits - 1 }
  /// The tag, or the row, of a word of a span.
  @inlinable @inline(__always) package static var spanTag: UInt64 { 1 << 14 - 1 }
  /// The two bits of a number of parts in a word of a span.
  @inlinable @inline(__always) package static func spanParts(_ parts: UInt64) -> UInt64 { parts << 14 & (tag ^ spanTag) }
  @inlinable @inline(__always) static var spanTicks: UInt64 { 16 }
  @inlinable @inline(__always) static var momentTicks: UInt64 { 256 }
  @inlinable @inline(__always) static var momentMask: UInt64 { 1 << 48 - 1 }

  /// These ticks as a span.
  @inlinable @inline(__always) package static func span(_ ticks: UInt64) -> UInt64 { ticks / spanTicks }
  /// A word of a span with a part's ticks, and the part, added; a span that is full stays so.
  @inlinable @inline(__always) package static func adding(_ ticks: UInt64, to word: UInt64) -> UInt64 {
    let (sum, isOver) = word.addingReportingOverflow(span(ticks) << tagBits)
    let spans = isOver || span(ticks) > momentMask ? ~tag : sum & ~tag
    return spans | (word &+ spanParts(1)) & tag
  }
  /// The ticks of a word's span.
  @inlinable @inline(__always) package static func ticks(_ word: UInt64) -> UInt64 { (word >> tagBits) * spanTicks }

  /// A moment at which that many parts had begun. The counter's highest bits are left out: moments less than a hundred
  /// days apart are compared.
  @inlinable @inline(__always) package static func moment(_ ticks: UInt64, parts: UInt64) -> UInt64 {
    (ticks / momentTicks) << tagBits | parts & tag
  }
  /// How many ticks before `now` the moment of a word was; 0: it was after that.
  @inlinable @inline(__always) package static func ticks(from word: UInt64, to now: UInt64) -> UInt64 {
    let units = (now / momentTicks &- word >> tagBits) & momentMask
    return units > momentMask / 2 ? 0 : units * momentTicks
  }

  // MARK: functions

  @inlinable @inline(__always) package static var rows: Int { 512 }
  @inlinable @inline(__always) package static var rowsTried: Int { 16 }
  @inlinable @inline(__always) package static var functionWords: Int { 2 }
  @inlinable @inline(__always) package static var sumTables: Int { 64 }
  @inlinable @inline(__always) package static var sumWords: Int { 8 }

  /// The words of a row's sums.
  @usableFromInline package enum Sum {
    @inlinable @inline(__always) package static var tasks: Int { 0 }
    @inlinable @inline(__always) package static var parts: Int { 1 }
    @inlinable @inline(__always) package static var busy: Int { 2 }
    @inlinable @inline(__always) package static var queued: Int { 3 }
    @inlinable @inline(__always) package static var between: Int { 4 }
  }

  /// How many words behind the beginning of the functions the sums begin.
  @inlinable @inline(__always) package static var sums: Int { rows * functionWords }
  @inlinable @inline(__always) package static var functionsWords: Int { sums + sumTables * rows * sumWords }
}
