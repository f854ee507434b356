// Ring.swift: where one thread writes what it does: pieces of the recording's file, filled one after the other. No
// other thread writes there meanwhile, and no code in this process reads it. Which piece comes next is Recording.swift.
import SignalboxSystem
import SignalboxWords

/// A thread's ring. In memory of its own, at the address that the thread's record has. A thread that ends leaves it to the next one.
struct Ring {
  typealias Layout = RecordLayout

  /// The recording that it is part of; it stays.
  let recording: Unmanaged<Recording>
  /// The next event's place, and where the piece ends.
  private(set) var next: UnsafeMutableRawPointer
  private(set) var end: UnsafeMutableRawPointer
  /// What times are counted from.
  private(set) var base: UInt64
  /// The ring's number, its thread's, and which thread that is.
  private let number: UInt64
  private var thread: UInt64
  private var who: UInt64
  /// The piece that is filled.
  private var chunk: UInt64
  /// Events written before this piece.
  private var first: UInt64 = 0
  /// The piece is full, and the next one is being got: a handler of a signal comes too early.
  private var isTurning = false
  /// While no thread has it: the next of those that were left.
  var after: UnsafeMutablePointer<Ring>?

  /// A ring for the calling thread; nil if there is no piece for it.
  init?(_ recording: Recording, who: UInt64) {
    guard let chunk = recording.nextChunk(after: nil) else { return nil }
    self.recording = .passUnretained(recording)
    (number, thread, self.who, self.chunk) = (recording.newRing(), 0, who, chunk)
    (next, end, base) = (recording.start, recording.start, 0)
    thread = recording.newThread()
    begin(recording.machine.ticks())
    tellThread(recording.machine)
  }

  /// The ring of a thread that has ended is the calling thread's from now on.
  mutating func passes(to who: UInt64) {
    (thread, self.who) = (recording._withUnsafeGuaranteedRef { $0.newThread() }, who)
    tellThread(recording._withUnsafeGuaranteedRef { $0.machine })
  }

  /// Which thread writes the events that follow.
  private mutating func tellThread(_ machine: RecordedMachine) {
    let ticks = machine.ticks(), name = machine.threadName()
    write(.threadBegan, ticks, thread, who, who >> 48)
    write(.threadName, ticks, name.0, name.0 >> 48 | name.1 << 16, name.1 >> 32)
  }

  /// Writes an event.
  @inline(__always)
  mutating func write(_ kind: EventKind, _ ticks: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64) {
    if _slowPath(next == end) {
      if isTurning { return recording._withUnsafeGuaranteedRef { $0.lose() } }
      turnOver(ticks)
    }
    if _slowPath(ticks &- base > EventCell.timeMask) { rebase(ticks) }
    put(EventCell(kind, time: ticks &- base, a, b, c))
  }

  @inline(__always) private mutating func put(_ event: EventCell) {
    next.storeBytes(of: event.words.1, toByteOffset: 8, as: UInt64.self)
    next.storeBytes(of: event.words.2, toByteOffset: 16, as: UInt64.self)
    // release: a reader of the file, after this process was killed perhaps, finds an event whole or a zero
    UnsafeRawPointer(next).assumingMemoryBound(to: Atomic64.self).pointee.storeRelease(event.words.0)
    next += Layout.cellSize
  }

  /// Later than the times reach, or earlier than the base: on a machine whose processors do not count alike.
  @inline(never) private mutating func rebase(_ ticks: UInt64) {
    base = ticks
    put(EventCell(.time, time: 0, 0, ticks, ticks >> 48))
    if next == end { turnOver(ticks) }
  }

  @inline(never) private mutating func turnOver(_ ticks: UInt64) {
    isTurning = true
    first += UInt64(Layout.cellsInChunk)
    recording._withUnsafeGuaranteedRef {
      $0.notePair()
      // There is one: the one that is full, at the worst.
      chunk = $0.nextChunk(after: chunk) ?? chunk
    }
    begin(ticks)
    isTurning = false
  }

  /// `ticks`: when the first event is, or earlier.
  private mutating func begin(_ ticks: UInt64) {
    let place = recording._withUnsafeGuaranteedRef { $0.chunk(chunk) }
    base = ticks
    func set(_ word: RecordLayout.Chunk, _ value: UInt64) {
      place.storeBytes(of: value, toByteOffset: word.rawValue * 8, as: UInt64.self)
    }
    let name = recording._withUnsafeGuaranteedRef { $0.machine.threadName() }
    set(.thread, who)
    set(.number, thread)
    set(.first, first)
    set(.base, base)
    set(.name0, name.0)
    set(.name1, name.1)
    set(.ring, number)
    // release: the piece's head is whole
    UnsafeRawPointer(place).assumingMemoryBound(to: Atomic64.self).pointee.storeRelease(Layout.events)
    next = place + Layout.chunkHeadSize
    end = next + Layout.cellsInChunk * Layout.cellSize
  }

  /// The calling thread's name to the kernel, 15 bytes at most.
  static func ownName() -> (UInt64, UInt64) {
    var words: (UInt64, UInt64) = (0, 0)
    var name = Threads.ownName()
    name.withUTF8 { bytes in
      withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes.prefix(15)) }
    }
    return words
  }
}
