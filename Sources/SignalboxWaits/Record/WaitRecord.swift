// WaitRecord.swift: what a sleeping thread says of itself: what it waits for, what could end that, what it is inside
// of, its stack.
//
// One record per thread slot, in static memory. Only its own thread writes it, in the slow path of a wait, before it
// parks: sequence odd, fields, sequence even again. A reader that finds the same even sequence before and after has
// read one state. Publishing and then scanning are sequentially consistent: of two threads that close a cycle one sees
// the other's record.
import CSignalbox
public import SignalboxSystem
import SignalboxWords

/// Publishing the calling thread's wait.
///
/// Thread safety: each thread publishes only its own. Allocates nothing. Waits do not nest on a thread.
public enum WaitRecord {
  /// Says what the calling thread is about to wait for.
  ///
  /// - Parameters:
  ///   - kind: the kind of wait.
  ///   - object: the address of what is waited for, as reports name it.
  ///   - isTimed: whether the wait ends by itself: it is never part of a deadlock then.
  ///   - park: the word slept on with the value it then has: once it differs, the wait is over. nil where the owner decides.
  ///   - since: when the wait began, on the uptime clock.
  ///   - words: whose words name what could end the wait: the object itself, then what it waits for in turn; at most
  ///     six.
  public static func publish(
    _ kind: WaitKind, object: UInt, isTimed: Bool, park: (word: UInt, value: UInt32)? = nil, _ words: OwnerWords,
    since: UInt64 = Clock.uptime()
  ) {
    let thread = ThreadSlot.current
    let owner = ThreadSlot.owner()
    if Threads.countsAsMain { mainThreadWord.storeRelaxed(owner) }  // relaxed: read through the record published below
    let record = Record(of: owner)
    let isInside = thread.innermostFrame != nil || thread.pointee.shared_count > 0
    count(isInside, record)
    raiseHighest(record.slot)  // before the record stands: a scan of the records goes as far as this
    let sequence = record.begin()
    record[.owner] = owner
    record[.tid] = thread.pointee.tid
    record[.what] =
      WaitFacts(kind, isTimed: isTimed, isInside: isInside, isExplored: Exploration.isOfCaller).rawValue
    record[.object] = UInt64(object)
    record[.since] = since
    record[.park] = UInt64(park?.word ?? 0)
    record[.parkValue] = UInt64(park?.value ?? 0)
    for index in 0..<words.count { record[.words, index] = words[index].bits }
    let frames = record.copyFrames(thread)
    let shared = min(Int(thread.pointee.shared_count), Int(SB_WAIT_SHARED))
    for index in 0..<shared { record[.shared, index] = sb_thread_shared(thread)[index] }
    // How much is written depends on which thread had the record before: nothing that an explorer could choose.
    let stack = ExplorerLink.unseen { record.copyStack() }
    record[.counts] = WaitCounts(words: words.count, frames: frames, shared: shared, stack: stack).rawValue
    record.end(sequence)
  }

  /// The main thread, once it has waited for something; 0 before. A thread that only counts as the main one: while it
  /// waits.
  // relaxed: an owner value, through which nothing is read; see `publish`
  package static var mainThread: UInt64 { mainThreadWord.loadRelaxed() }
  private static let mainThreadWord = Atomic64(0)
  /// Where that is written.
  package static var mainThreadPlace: UInt { withUnsafePointer(to: mainThreadWord) { UInt(bitPattern: $0) } }

  /// The calling thread is about to be explored: what records of its slot change once in a process is changed now.
  package static func prepare() { raiseHighest(OwnerValue.slot(of: ThreadSlot.owner())) }

  /// The calling thread waits no more.
  public static func withdraw() {
    Events.emit(.waitEnded, 0)
    let owner = ThreadSlot.current.pointee.owner
    let record = Record(of: owner)
    count(false, record)
    let sequence = record.begin()
    record[.what] = 0
    record.end(sequence)
    // The next item of the main queue may have another thread. relaxed: as in publish
    if mainThreadWord.loadRelaxed() == owner, !Threads.isMain { _ = mainThreadWord.casRelaxed(owner, 0) }
  }

  /// How many threads wait while they are inside of something: as long as there is none, no thread need read all
  /// records.
  // seq_cst D3: counted before the record is published and its thread scans. A thread that closes something and then
  // reads 0 has closed it before that scan.
  package static var insiders: UInt64 { insidersWord.loadSeqCst() }
  private static let insidersWord = Atomic64(0)

  /// Counts the calling thread as its record is about to say; a record may be published again without a withdrawal.
  private static func count(_ isInside: Bool, _ record: Record) {
    let wasInside = record.facts.isInside
    if isInside == wasInside { return }
    // seq_cst D3: see `insiders`
    _ = isInside ? insidersWord.addSeqCst(1) : insidersWord.subtractSeqCst(1)
  }

  /// Whether the thread `owner` sleeps in a wait of Signalbox's: one load or two, never wrong for long.
  @inlinable public static func isWaiting(_ owner: UInt64) -> Bool { isRecorded(owner) }
  @usableFromInline package static func isRecorded(_ owner: UInt64) -> Bool {
    let record = Record(of: owner)
    return record[.what] != 0 && record[.owner] == owner
  }

  // The highest slot that ever published: how far a scan of all records goes.
  private static let highestWord = Atomic64(0)
  // seq_cst: after D2's records; a slot above is published later, and its thread does the checking then
  package static var highest: UInt64 { highestWord.loadSeqCst() }
  private static func raiseHighest(_ slot: UInt64) {
    var old = highestWord.loadRelaxed()  // relaxed: the swap re-checks
    while old < slot {
      // acquire-release: pairs with the load in `highest`
      let swap = highestWord.casAcqRel(old, slot)
      if swap.exchanged { return }
      old = swap.original
    }
  }
}

/// One record, for its writer and its readers.
package struct Record {
  // SAFETY: a static C table of process life; every access is atomic.
  private let base: UnsafePointer<Atomic64>
  package let slot: UInt64
  /// That of the thread `owner`.
  package init(of owner: UInt64) { self.init(slot: OwnerValue.slot(of: owner)) }
  package init(slot: UInt64) {
    self.slot = slot
    base = UnsafeRawPointer(sb_wait_at(slot)).assumingMemoryBound(to: Atomic64.self)
  }

  package subscript(cell: WaitCell, index: Int = 0) -> UInt64 {
    // acquire D4: pairs with D5. A reader of a field of the next record finds the sequence changed when it reads
    // that again.
    get { base[cell.rawValue + index].loadAcquire() }
    // release D5: after the sequence has become odd; pairs with D4.
    nonmutating set { base[cell.rawValue + index].storeRelease(newValue) }
  }

  // MARK: the writer

  package func begin() -> UInt64 {
    // Odd whatever stood there: the thread that had the record before may have ended while it wrote, out of a signal's
    // handler, or where an exploration was cut off. By one more than an odd number, what is half written would be taken
    // for whole.
    let sequence = (base[0].loadRelaxed() &+ 1) | 1  // relaxed: only this thread writes it
    // acquire-release exchange: the fields are not written before the sequence is odd.
    _ = base[0].exchangeAcqRel(sequence)
    return sequence
  }
  // seq_cst D1: the record stands before its writer reads the others; pairs with D2 in `stableSequence`.
  package func end(_ sequence: UInt64) { _ = base[0].exchangeSeqCst(sequence &+ 1) }

  package func copyFrames(_ thread: ThreadPointer) -> Int {
    var count = 0
    var frame = thread.innermostFrame
    while let here = frame, count < Int(SB_WAIT_FRAMES) {
      self[.frames, count] = UInt64(here.pointee.word.bits)
      count += 1
      frame = here.pointee.previous
    }
    return count
  }

  /// Threads wait again and again at the same place: then the stack is there already.
  package func copyStack() -> Int {
    if Instruments.byte & Instruments.explorer != 0, !ExplorerLink.wantsStacks { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt.self, capacity: Int(SB_WAIT_STACK)) { buffer in
      // SAFETY: only its own thread writes the record; what it wrote it may read plainly, and the memo is its own.
      let memo = sb_wait_memo(slot)
      let known = UnsafeRawPointer(base + WaitCell.stack.rawValue).assumingMemoryBound(to: UInt64.self)
      guard let count = StackCapture.refill(buffer, known: known, memo) else { return Int(memo.pointee.count) }
      for index in 0..<count { self[.stack, index] = UInt64(buffer[index]) }
      return count
    }
  }

  // MARK: readers

  // seq_cst D2: see D1. nil while it is being written.
  package var stableSequence: UInt64? {
    let value = base[0].loadSeqCst()
    return value & 1 == 0 ? value : nil
  }
  package var facts: WaitFacts { WaitFacts(rawValue: self[.what]) }
  package var kind: WaitKind { facts.kind ?? .none }
  /// Whether it ends by itself, as far as the calling thread is concerned.
  package var isTimed: Bool {
    let facts = facts
    return facts.isTimed || facts.isExplored && !Exploration.isOfCaller
  }
  private var counts: WaitCounts { WaitCounts(rawValue: self[.counts]) }
  package var wordCount: Int { min(counts.words, Int(SB_WAIT_WORDS)) }
  package var frameCount: Int { min(counts.frames, Int(SB_WAIT_FRAMES)) }
  package var sharedCount: Int { min(counts.shared, Int(SB_WAIT_SHARED)) }
  package func frame(_ index: Int) -> FrameWord { FrameWord(bits: UInt(self[.frames, index])) }
  package var frames: [FrameWord] { (0..<frameCount).map(frame) }
  /// The words that name what could end the wait.
  package var ownerWords: OwnerWords {
    var words = OwnerWords()
    for index in 0..<wordCount { words.append(OwnerWord(bits: self[.words, index])) }
    return words
  }
  package var stackCount: Int { min(counts.stack, Int(SB_WAIT_STACK)) }

  /// Whether the thread is inside the object, by a frame or as one of its readers.
  package func isInside(_ object: UInt) -> Bool {
    for index in 0..<frameCount where frame(index).object == object { return true }
    for index in 0..<sharedCount where UInt(self[.shared, index]) == object { return true }
    return false
  }
}
