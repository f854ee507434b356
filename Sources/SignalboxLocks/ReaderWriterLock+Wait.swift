// ReaderWriterLock+Wait.swift: waiting to read and to write: spin while it may help, then sleep; and waking.
//
// Threads sleep on the low half of the word; it changes whenever a thread may come in. Why no thread is left asleep:
// README.md.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

/// What sleepers tell the kernel about themselves.
private enum SleeperSet {
  static let readers: UInt32 = 1
  static let writers: UInt32 = 2
  /// Beside the writers' bit.
  static let starvingWriters: UInt32 = 4
}

extension ReaderWriterLock {
  // MARK: reading

  @inline(never) @usableFromInline
  func readLockSlow(until deadline: LockDeadline) -> Bool {
    if deadline == .never, isWriteLockedByCurrentThread { LockMisuse.relock(.readLock, address) }
    var request = LockRequest(.readLock, address, isPatient: deadline == .never)
    let reader: ReaderWriterState.Reader = SharedHolds.contains(address) ? .holding : .fresh
    noteHolders(in: &request) { $0.afterRead(reader) == nil }
    guard spin({ enter(reader) }) || sleepToRead(reader, until: deadline) else { return false }
    SharedHolds.add(address)
    request.isGranted()
    return true
  }

  /// Comes in as a reader by one swap; false when that must wait.
  func enter(_ reader: ReaderWriterState.Reader) -> Bool {
    state.movedAcquire { old in  // acquire R1
      guard let next = old.afterRead(reader) else { return nil }
      if old.readers >= ReaderWriterState.mostHolds { LockMisuse.tooManyReaders(address) }
      return next
    }
  }

  private func sleepToRead(_ reader: ReaderWriterState.Reader, until deadline: LockDeadline) -> Bool {
    if deadline != .never, deadline.hasPassed { return false }
    guard let generation = announceReader(reader) else { return true }
    return BlockingHook.around(longWait: false) { sleepToRead(in: generation, until: deadline) }
  }

  private func sleepToRead(in generation: UInt64, until deadline: LockDeadline) -> Bool {
    var inversion = InversionHook.Wait(object: address)
    while true {
      let seen = state.load()  // acquire R1: a leaving writer may have let this thread in
      if seen.generation != generation { return true }
      if let next = seen.afterRead(.waiting) {
        if state.movedAcquire(from: seen, to: next) { return true }  // acquire R1
      } else if deadline != .never, deadline.hasPassed {
        if state.moved(from: seen, to: seen.afterReadGiveUp()) { return false }
      } else {
        inversion.isBehind(holder)
        parkReader(seen, deadline)
      }
    }
  }

  /// The writer of a moment ago; 0: there is none, and readers have no names in the word.
  private var holder: UInt64 {
    let seen = state.hint()
    return seen.isWriting ? seen.writer : 0
  }

  /// Says in the word that one more thread waits to read: the generation it waits in. Or comes in: nil.
  private func announceReader(_ reader: ReaderWriterState.Reader) -> UInt64? {
    state.update { old in  // its acquire is R1
      if let taken = old.afterRead(reader) { return (taken, nil) }
      let next = old.afterReadWait()
      return (next, next.generation)
    }
  }

  /// One sleep. The record stands only while the thread cannot have come in by itself: a reader's hold has no name in the word,
  /// so a record left standing after that could close a cycle that is none.
  private func parkReader(_ state: ReaderWriterState, _ deadline: LockDeadline) {
    var words = OwnerWords(ReaderWriterState.ReaderMark.word(address, state.generation))
    words.append(OwnerWord(patientWriter.address, .lock))
    Waiting.begin(.readLock, object: address, isTimed: deadline != .never, words)
    // relaxed: a writer that takes the name later publishes its record, and checks, after this thread's record stands.
    if state.writersWait > 0, patientWriter.loadRelaxed() == 0 { pass(.writer) }  // one that sleeps is to lend its name
    self.state.word.parkOnLowHalf(expected: state.low, deadline: deadline.park(), set: SleeperSet.readers)
    WaitRecord.withdraw()
  }

  // MARK: writing

  @inline(never) @usableFromInline
  func writeLockSlow(until deadline: LockDeadline) -> Bool {
    let me = ThreadSlot.owner()
    if deadline == .never {
      if isWriteLockedByCurrentThread { LockMisuse.relock(.writeLock, address) }
      if SharedHolds.contains(address) { LockMisuse.upgrade(address) }
    }
    var request = LockRequest(.writeLock, address, isPatient: deadline == .never)
    noteHolders(in: &request) { $0.afterWrite(me, .fresh) == nil }
    if !spin({ enter(me, .fresh) }) {
      guard sleepToWrite(me, until: deadline) else { return false }
      InversionHook.isTaken(address, by: me)  // readers may sleep on, without a limit
    }
    request.isGranted()
    return true
  }

  /// Comes in as the writer by one swap; false when that must wait.
  func enter(_ me: UInt64, _ writer: ReaderWriterState.Writer) -> Bool {
    state.movedAcquire { $0.afterWrite(me, writer) }  // acquire W1
  }

  private func sleepToWrite(_ me: UInt64, until deadline: LockDeadline) -> Bool {
    if deadline != .never, deadline.hasPassed { return false }
    guard announceWriter(me) else { return true }
    var wait = WriterWait(me: me, deadline: deadline)
    defer {
      if wait.isRecorded { WaitRecord.withdraw() }
      // acquire-release: the name stands only while its wait does.
      if wait.isNamed { _ = patientWriter.casAcqRel(UInt32(me), 0) }
    }
    var inversion = InversionHook.Wait(object: address)
    return BlockingHook.around(longWait: false) {
      while true {
        if enter(me, wait.urgency) { return true }
        if wait.isTimed, deadline.hasPassed {
          pass(state.update { $0.afterWriteGiveUp(wait.urgency) })
          return false
        }
        inversion.isBehind(holder)
        parkWriter(&wait)
      }
    }
  }

  /// Says in the word that one more thread waits to write. Or comes in: false.
  private func announceWriter(_ me: UInt64) -> Bool {
    state.update { old in  // its acquire is W1
      let taken = old.afterWrite(me, .fresh)
      return (taken ?? old.afterWriteWait(), taken == nil)
    }
  }

  private func parkWriter(_ wait: inout WriterWait) {
    // Readers that wait behind a writer wait for what it waits for: one of those without limit lends its name. relaxed: the swap
    // re-checks. acquire-release: pairs with the swap by which the one before took its name away.
    let isNewlyNamed =
      !wait.isTimed && patientWriter.loadRelaxed() == 0 && patientWriter.casAcqRel(0, UInt32(wait.me)).exchanged
    if isNewlyNamed { wait.isNamed = true }
    if isNewlyNamed || !wait.isRecorded {
      wait.isRecorded = true
      Waiting.begin(.writeLock, object: address, isTimed: wait.isTimed, .init(OwnerWord(address, .readerWriter)))
    }
    guard let seen = stateToSleepOn(wait) else { return }
    let set = SleeperSet.writers | (wait.urgency == .starving ? SleeperSet.starvingWriters : 0)
    let outcome = state.word.parkOnLowHalf(
      expected: seen.low, deadline: wait.deadline.park(before: wait.impatience.due), set: set)
    if outcome == .timedOut { wait.growImpatient() }
  }

  /// The state in which a waiting writer may sleep; nil if it may come in. A starving one says that it is.
  private func stateToSleepOn(_ wait: WriterWait) -> ReaderWriterState? {
    let seen = state.change { old in
      old.afterWrite(wait.me, wait.urgency) == nil && wait.urgency == .starving ? old.afterStarving() : old
    }
    return seen.afterWrite(wait.me, wait.urgency) == nil ? seen : nil
  }

  // MARK: both

  /// Notes what the calling thread meets, if that must wait: a writer, or readers, which have no name in the word.
  private func noteHolders(in request: inout LockRequest, ifWaiting mustWait: (ReaderWriterState) -> Bool) {
    if Instruments.areOff { return }
    let seen = state.hint()
    if mustWait(seen) { request.meetsHolders(one: seen.writer) }
  }

  private func spin(_ enter: () -> Bool) -> Bool {
    if enter() { return true }
    for round in 0..<spinRounds(LockTuning.rounds) {
      let seen = state.hint()
      // A writer that sleeps gives nothing back soon, and a lock kept for another thread is not for this one.
      if seen.isHandOff || (seen.isWriting && WaitRecord.isWaiting(seen.writer)) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
      if enter() { return true }
    }
    return false
  }

  func pass(_ wake: ReaderWriterState.WakeAction) {
    switch wake {
    case .nobody: break
    case .readers: state.word.wakeLowHalf(count: .max, set: SleeperSet.readers)
    case .writer: state.word.wakeLowHalf(set: SleeperSet.writers)
    case .starvingWriter: state.word.wakeLowHalf(set: SleeperSet.starvingWriters)
    }
  }
}

/// One thread's wait to write.
private struct WriterWait {
  let me: UInt64
  let deadline: LockDeadline
  var urgency = ReaderWriterState.Writer.waiting
  var impatience = Impatience()
  var isRecorded = false, isNamed = false
  var isTimed: Bool { deadline != .never }

  init(me: UInt64, deadline: LockDeadline) {
    self.me = me
    self.deadline = deadline
  }

  /// Once its patience has run out the thread is starving, and asks again by itself, more and more rarely.
  mutating func growImpatient() {
    guard impatience.isDue else { return }
    urgency = .starving
    impatience.renew()
  }
}
