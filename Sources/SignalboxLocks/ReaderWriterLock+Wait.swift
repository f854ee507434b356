// ReaderWriterLock+Wait.swift: waiting to read and to write: spin while it may help, then sleep; and waking.
//
// Threads sleep on the low half of the word; it changes whenever somebody may come in. Why nobody is left asleep: README.md.
import SignalboxDiagnosis
import SignalboxSystem

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
  func readLockSlow(_ request: LockHooks.Request, until deadline: LockDeadline) -> Bool {
    if deadline == .never, isWriteLockedByCurrentThread { LockMisuse.relock(.readLock, address) }
    var hooks = LockHooks.begin(request, .readLock, address)
    let reader: ReaderWriterState.Reader = SharedHolds.contains(address) ? .holding : .fresh
    tellHolders(&hooks) { $0.afterRead(reader) == nil }
    guard spin({ enter(reader) }) || sleepToRead(reader, until: deadline) else {
      hooks.failed()
      return false
    }
    SharedHolds.add(address)
    hooks.acquired()
    return true
  }

  /// Comes in as a reader by one swap; false when that must wait.
  func enter(_ reader: ReaderWriterState.Reader) -> Bool {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    while let next = old.afterRead(reader) {
      if old.readers >= ReaderWriterState.mostHolds { LockMisuse.tooManyReaders(address) }
      let swap = word.casAcquire(old.rawValue, next.rawValue)  // acquire R1
      if swap.exchanged { return true }
      old.rawValue = swap.original
    }
    return false
  }

  private func sleepToRead(_ reader: ReaderWriterState.Reader, until deadline: LockDeadline) -> Bool {
    if deadline != .never, deadline.hasPassed { return false }
    guard let generation = announceReader(reader) else { return true }
    return BlockingHook.around(longWait: false) {
      while true {
        let state = ReaderWriterState(rawValue: word.loadAcquire())  // acquire R1: a leaving writer may have let us in
        if state.generation != generation { return true }
        if let next = state.afterRead(.waiting) {
          if word.casAcquire(state.rawValue, next.rawValue).exchanged { return true }
        } else if deadline != .never, deadline.hasPassed {
          if word.casRelease(state.rawValue, state.afterReadGiveUp().rawValue).exchanged { return false }
        } else {
          parkReader(state, deadline)
        }
      }
    }
  }

  /// Says in the word that one more thread waits to read: the generation it waits in. Or comes in: nil.
  private func announceReader(_ reader: ReaderWriterState.Reader) -> UInt64? {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    while true {
      let taken = old.afterRead(reader)
      let next = taken ?? old.afterReadWait()
      let swap = word.casAcquire(old.rawValue, next.rawValue)
      if swap.exchanged { return taken == nil ? next.generation : nil }
      old.rawValue = swap.original
    }
  }

  /// One sleep. The record stands only while the thread cannot have come in by itself: a reader's hold has no name in the word,
  /// so a record left standing after that could close a cycle that is none.
  private func parkReader(_ state: ReaderWriterState, _ deadline: LockDeadline) {
    var words = OwnerWords(ReaderWriterReading.word(ofReader: address, state.generation))
    withUnsafePointer(to: patientWriter) { words.append(OwnerWord(UInt(bitPattern: $0), .lock)) }
    Waiting.begin(.readLock, object: address, isTimed: deadline != .never, words)
    // relaxed: a writer that takes the name later publishes its record, and looks, after this thread's record stands.
    if state.writersWait > 0, patientWriter.loadRelaxed() == 0 { pass(.writer) }  // one that sleeps is to lend its name
    withUnsafePointer(to: word) {
      _ = Parking.park(Parking.lowHalf($0), expected: state.low, deadline: deadline.park(), set: SleeperSet.readers)
    }
    WaitRecord.withdraw()
  }

  // MARK: writing

  @inline(never) @usableFromInline
  func writeLockSlow(_ request: LockHooks.Request, until deadline: LockDeadline) -> Bool {
    let me = ThreadSlot.owner()
    if deadline == .never {
      if isWriteLockedByCurrentThread { LockMisuse.relock(.writeLock, address) }
      if SharedHolds.contains(address) { LockMisuse.upgrade(address) }
    }
    var hooks = LockHooks.begin(request, .writeLock, address)
    tellHolders(&hooks) { $0.afterWrite(me, .fresh) == nil }
    guard spin({ enter(me, .fresh) }) || sleepToWrite(me, until: deadline) else {
      hooks.failed()
      return false
    }
    hooks.acquired()
    return true
  }

  /// Comes in as the writer by one swap; false when that must wait.
  func enter(_ me: UInt64, _ writer: ReaderWriterState.Writer) -> Bool {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    while let next = old.afterWrite(me, writer) {
      let swap = word.casAcquire(old.rawValue, next.rawValue)  // acquire W1
      if swap.exchanged { return true }
      old.rawValue = swap.original
    }
    return false
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
    return BlockingHook.around(longWait: false) {
      while true {
        if enter(me, wait.urgency) { return true }
        if wait.isTimed, deadline.hasPassed {
          update { $0.afterWriteGiveUp(wait.urgency) }
          return false
        }
        parkWriter(&wait)
      }
    }
  }

  /// Says in the word that one more thread waits to write. Or comes in: false.
  private func announceWriter(_ me: UInt64) -> Bool {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    while true {
      let taken = old.afterWrite(me, .fresh)
      let swap = word.casAcquire(old.rawValue, (taken ?? old.afterWriteWait()).rawValue)
      if swap.exchanged { return taken == nil }
      old.rawValue = swap.original
    }
  }

  private func parkWriter(_ wait: inout WriterWait) {
    // Readers that wait behind a writer wait for what it waits for: one of those without limit lends its name.
    let isNewlyNamed =
      !wait.isTimed && patientWriter.loadRelaxed() == 0 && patientWriter.casAcqRel(0, UInt32(wait.me)).exchanged
    if isNewlyNamed { wait.isNamed = true }
    if isNewlyNamed || !wait.isRecorded {
      wait.isRecorded = true
      Waiting.begin(.writeLock, object: address, isTimed: wait.isTimed, .init(OwnerWord(address, .readerWriter)))
    }
    guard let state = stateToSleepOn(wait) else { return }
    let set = SleeperSet.writers | (wait.urgency == .starving ? SleeperSet.starvingWriters : 0)
    let outcome = withUnsafePointer(to: word) {
      Parking.park(
        Parking.lowHalf($0), expected: state.low, deadline: wait.deadline.park(before: wait.impatience.due), set: set)
    }
    if outcome == .timedOut { wait.growImpatient() }
  }

  /// The state in which a waiting writer may sleep; nil if it may come in. A starving one says that it is.
  private func stateToSleepOn(_ wait: WriterWait) -> ReaderWriterState? {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the park compares
    while old.afterWrite(wait.me, wait.urgency) == nil {
      guard wait.urgency == .starving, !old.isHandOff else { return old }
      let swap = word.casAcqRel(old.rawValue, old.afterStarving().rawValue)
      if swap.exchanged { return old.afterStarving() }
      old.rawValue = swap.original
    }
    return nil
  }

  // MARK: both

  /// Tells the instruments whom the calling thread meets, if that must wait: a writer, or readers, who have no name.
  private func tellHolders(_ hooks: inout LockHooks, ifWaiting mustWait: (ReaderWriterState) -> Bool) {
    if Instruments.areOff { return }
    let state = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: who it was a moment ago
    if mustWait(state) { hooks.meetsHolders(one: state.writer) }
  }

  private func spin(_ enter: () -> Bool) -> Bool {
    if enter() { return true }
    for round in 0..<LockTuning.rounds {
      let state = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
      // A writer that sleeps gives nothing back soon, and a lock kept for somebody is not for us.
      if state.isHandOff || (state.isWriting && WaitRecord.isWaiting(state.writer)) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
      if enter() { return true }
    }
    return false
  }

  func update(_ change: (ReaderWriterState) -> (next: ReaderWriterState, wake: ReaderWriterState.WakeAction)) {
    var old = ReaderWriterState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    while true {
      let (next, wake) = change(old)
      // release W2, W3: as said where they are given back.
      let swap = word.casAcqRel(old.rawValue, next.rawValue)
      if swap.exchanged { return pass(wake) }
      old.rawValue = swap.original
    }
  }

  func pass(_ wake: ReaderWriterState.WakeAction) {
    withUnsafePointer(to: word) { address in
      let half = Parking.lowHalf(address)
      switch wake {
      case .nobody: break
      case .readers: Parking.wake(half, count: .max, set: SleeperSet.readers)
      case .writer: Parking.wake(half, set: SleeperSet.writers)
      case .starvingWriter: Parking.wake(half, set: SleeperSet.starvingWriters)
      }
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
