// ReaderWriterState.swift: all state of one reader-writer lock in one 64-bit word. Pure: no atomics, no I/O.
//
//   63          48 47          32 31    28   27   26   25   24  23           0
//  ┌──────────────┬──────────────┬────────┬────┬────┬────┬────┬──────────────┐
//  │ writersWait  │ readersWait  │   0    │ GN │ HO │ WW │ WR │    holder    │
//  └──────────────┴──────────────┴────────┴────┴────┴────┴────┴──────────────┘
//  holder   WR: the writer's thread slot and generation; otherwise how many read holds there are
//  WR       a writer holds the lock
//  WW       writers wait, so new readers do
//  HO       a waiting writer has waited too long: the next writer is one of those, nobody barges
//  GN       turns over when a leaving writer lets in all readers that wait: who waited under the other value is in
//
//  INV-1  WR ⇒ holder ≠ 0
//  INV-2  WW ⇔ writersWait > 0             so that the half that threads sleep on shows it
//  INV-3  HO ⇒ WW
// The counts are exact: a thread adds itself before it sleeps and takes itself off in the very swap that lets it in or that
// gives up, except that a leaving writer takes off all readers at once.

@usableFromInline package struct ReaderWriterState: PackedWord, Hashable {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("holder", Field(0..<24)), ("WR", Field(24..<25)), ("WW", Field(25..<26)), ("HO", Field(26..<27)), ("GN", Field(27..<28)),
      ("0", Field(28..<32)), ("readersWait", Field(32..<48)), ("writersWait", Field(48..<64)),
    ]
  }
  /// Nobody holds the lock, and nobody waits.
  @inlinable package static var free: ReaderWriterState { ReaderWriterState(rawValue: 0) }

  @inlinable package static var holderMask: UInt64 { OwnerValue.mask }
  @inlinable package static var writing: UInt64 { 1 << 24 }
  @inlinable package static var writersWaiting: UInt64 { 1 << 25 }
  @inlinable package static var handOff: UInt64 { 1 << 26 }
  @inlinable package static var generation: UInt64 { 1 << 27 }
  @inlinable package static var oneReaderWaits: UInt64 { 1 << 32 }
  @inlinable package static var oneWriterWaits: UInt64 { 1 << 48 }
  /// More read holds than this only a recursion without end has.
  @inlinable package static var mostHolds: UInt64 { holderMask >> 1 }
  /// Any of these sends a reader to the out-of-line path; the last one is the top bit of the count.
  @inlinable package static var readersBarred: UInt64 { writing | writersWaiting | (mostHolds + 1) }
  /// Any of these sends a writer there.
  @inlinable package static var writersBarred: UInt64 { writing | handOff | holderMask }

  @inlinable package var holder: UInt64 { rawValue & Self.holderMask }
  @inlinable package var isWriting: Bool { rawValue & Self.writing != 0 }
  @inlinable package var writer: UInt64 { isWriting ? holder : 0 }
  @inlinable package var readers: UInt64 { isWriting ? 0 : holder }
  @inlinable package var isHandOff: Bool { rawValue & Self.handOff != 0 }
  @inlinable package var generation: UInt64 { rawValue & Self.generation }
  @inlinable package var readersWait: UInt64 { rawValue >> 32 & 0xFFFF }
  @inlinable package var writersWait: UInt64 { rawValue >> 48 }
  /// The half that threads sleep on.
  @inlinable package var low: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// Whom a leaving thread has to wake.
  @usableFromInline package enum WakeAction: Equatable { case nobody, readers, writer, starvingWriter }

  // MARK: readers

  /// Whether a reader that holds nothing comes in by one swap; false also where the count is close to its end.
  @inlinable package var isOpenToReaders: Bool { rawValue & Self.readersBarred == 0 }

  /// What is known of a thread that wants to read.
  @usableFromInline package enum Reader: Equatable { case fresh, waiting, holding }

  /// The state with one more reader; nil when that must wait. Who is a reader already does not queue behind writers: they wait
  /// for it.
  @inlinable package func afterRead(_ reader: Reader) -> Self? {
    guard !isWriting, writersWait == 0 || (reader == .holding && holder > 0) else { return nil }
    return Self(rawValue: rawValue + 1 - (reader == .waiting ? Self.oneReaderWaits : 0))
  }

  /// The state in which one more thread waits to read.
  @inlinable package func afterReadWait() -> Self { Self(rawValue: rawValue + Self.oneReaderWaits) }

  /// A thread that waits to read, and has not been let in, stops waiting.
  @inlinable package func afterReadGiveUp() -> Self { Self(rawValue: rawValue - Self.oneReaderWaits) }

  /// One reader goes.
  @inlinable package func afterReadUnlock() -> (next: Self, wake: WakeAction) {
    let next = Self(rawValue: rawValue - 1)
    return (next, next.holder == 0 ? next.writerToWake : .nobody)
  }

  // MARK: writers

  /// What is known of a thread that wants to write.
  @usableFromInline package enum Writer: Equatable { case fresh, waiting, starving }

  /// The state with `me` writing; nil when that must wait.
  @inlinable package func afterWrite(_ me: UInt64, _ writer: Writer) -> Self? {
    guard holder == 0, !isHandOff || writer == .starving else { return nil }
    var next = Self(rawValue: rawValue | Self.writing | me)
    if writer != .fresh { next = next.withoutWaitingWriter }
    // Whoever else is starving asks again by himself.
    if writer == .starving { next.rawValue &= ~Self.handOff }
    return next
  }

  /// The state in which one more thread waits to write.
  @inlinable package func afterWriteWait() -> Self { Self(rawValue: rawValue + Self.oneWriterWaits | Self.writersWaiting) }

  /// A thread that waits to write wants the lock kept for it.
  @inlinable package func afterStarving() -> Self { Self(rawValue: rawValue | Self.handOff) }

  /// A thread that waits to write stops waiting. It may have used up a wake, it may be the one the lock is kept for, and readers
  /// may have waited only because of it.
  @inlinable package func afterWriteGiveUp(_ writer: Writer) -> (next: Self, wake: WakeAction) {
    var next = withoutWaitingWriter
    if writer == .starving { next.rawValue &= ~Self.handOff }
    if next.isWriting { return (next, .nobody) }
    if next.writersWait == 0 { return (next, next.readersWait > 0 ? .readers : .nobody) }
    return (next, next.holder == 0 ? next.writerToWake : .nobody)
  }

  /// The writer goes: to all readers that wait, or else to a writer.
  @inlinable package func afterWriteUnlock() -> (next: Self, wake: WakeAction) {
    let free = Self(rawValue: rawValue & ~(Self.writing | Self.holderMask))
    guard readersWait > 0 else { return (free, free.writerToWake) }
    let admitted = (free.rawValue + readersWait - readersWait * Self.oneReaderWaits) ^ Self.generation
    return (Self(rawValue: admitted), .readers)
  }

  @inlinable package var writerToWake: WakeAction {
    writersWait == 0 ? .nobody : isHandOff ? .starvingWriter : .writer
  }

  @inlinable package var withoutWaitingWriter: Self {
    var next = Self(rawValue: rawValue - Self.oneWriterWaits)
    if next.writersWait == 0 { next.rawValue &= ~(Self.writersWaiting | Self.handOff) }
    return next
  }

  /// The invariants, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? {
    if isWriting, holder == 0 { return "INV-1" }
    if (rawValue & Self.writersWaiting != 0) != (writersWait > 0) { return "INV-2" }
    if isHandOff, writersWait == 0 { return "INV-3" }
    return nil
  }
}
