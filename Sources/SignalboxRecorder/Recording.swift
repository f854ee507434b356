// Recording.swift: one recording: its file, the pieces that threads get of it, and the list of names. What threads write into their
// pieces is Ring.swift; README.md has the protocol.
import SignalboxSystem
import SignalboxWords

/// A recording under way, or one that was stopped: threads may be in the midst of their last event, so its memory stays.
final class Recording: Sendable {
  typealias Layout = RecordLayout

  // SAFETY: memory for the life of the process. The head's words are atomic; a piece belongs to the thread that took it, or to the list of
  // names, whose lock guards it.
  nonisolated(unsafe) let start: UnsafeMutableRawPointer
  /// Pieces at most.
  let limit: UInt64
  /// Sets a piece of the file aside; false: there is no room for it.
  private let grow: @Sendable (_ offset: Int, _ count: Int) -> Bool
  /// What it lies in; nil: in memory alone.
  let file: GrowingFile?
  /// Of a flight recording: how many seconds count. 0: it is none.
  let seconds: UInt64
  /// Whose clocks, process and names of threads it notes.
  let machine: RecordedMachine
  /// What has a name.
  let known = KnownAddresses()

  private let nameLock = Atomic32(0)
  // SAFETY: guarded by `nameLock`.
  private nonisolated(unsafe) var nameChunk: UnsafeMutableRawPointer?
  private nonisolated(unsafe) var nameCount = 0
  private nonisolated(unsafe) var nameChunks: UInt64 = 0
  private let pairLock = Atomic32(0)
  private let threads = Relaxed64(0), rings = Relaxed64(0)  // relaxed: hands out numbers

  private let pieceLock = Atomic32(0)
  // SAFETY: guarded by `pieceLock`: the pieces that are full, oldest first, in a row that begins anew at its end, and has room for
  // all there can be; and the rings that threads have left.
  private nonisolated(unsafe) let full: UnsafeMutablePointer<UInt64>
  private nonisolated(unsafe) var oldest = 0
  private nonisolated(unsafe) var fullCount = 0
  private nonisolated(unsafe) var left: UnsafeMutablePointer<Ring>?

  /// In memory that begins as zeros, of which the head is there.
  init(
    at start: UnsafeMutableRawPointer, chunks limit: Int, seconds: UInt64 = 0, file: GrowingFile? = nil,
    machine: RecordedMachine = RecordedMachine(), grow: @escaping @Sendable (Int, Int) -> Bool
  ) {
    (self.start, self.limit, self.grow, self.file, self.seconds) = (start, UInt64(limit), grow, file, seconds)
    self.machine = machine
    full = .allocate(capacity: limit)  // for the life of the process
    set(.version, Layout.version | UInt64(Layout.chunkSize) << 32)
    set(.process, machine.process)
    let (ticks, uptime) = now()
    set(.startTicks, ticks)
    set(.startUptime, uptime)
    set(.startWall, machine.wall())
    set(.chunkLimit, self.limit)
    set(.seconds, seconds)
    set(.ticks0, ticks)
    set(.uptime0, uptime)
    // How fast the counter goes is known well enough for a program that ends at once.
    while machine.uptime() &- uptime < 200_000 {}
    notePair()
    set(.state, 1)
    set(.magic, Layout.magic)
  }

  /// In a file.
  convenience init(file: GrowingFile, seconds: UInt64) throws {
    guard file.grow(0, Layout.headSize) else { throw RecorderError.noRoom }
    self.init(
      at: file.start, chunks: (file.room - Layout.headSize) / Layout.chunkSize, seconds: seconds, file: file
    ) { file.grow($0, $1) }
  }

  /// It is over: what is known now is all that a reader gets.
  func end() {
    notePair()
    set(.state, 2)
  }

  // MARK: the head

  func cell(_ word: RecordLayout.Head) -> UnsafePointer<Atomic64> {
    UnsafeRawPointer(start + word.rawValue * 8).assumingMemoryBound(to: Atomic64.self)
  }
  // release: a reader of the file, which is another process, finds what was written before
  private func set(_ word: RecordLayout.Head, _ value: UInt64) { cell(word).pointee.storeRelease(value) }

  /// The processor's counter and the clock at one moment.
  private func now() -> (ticks: UInt64, uptime: UInt64) {
    var best: (ticks: UInt64, uptime: UInt64, span: UInt64) = (0, 0, .max)
    for _ in 0..<5 {
      let before = machine.ticks(), uptime = machine.uptime(), span = machine.ticks() &- before
      if span < best.span { best = (before &+ span / 2, uptime, span) }
    }
    return (best.ticks, best.uptime)
  }

  /// Notes the two clocks once more: the further apart the pairs, the better a reader knows how fast the counter goes.
  func notePair() {
    // acquire: the last writer's pair; one writer is enough, a thread that comes meanwhile goes on
    guard pairLock.casAcquire(0, 1).exchanged else { return }
    let (ticks, uptime) = now()
    let next = cell(.pair).pointee.loadRelaxed() &+ 1  // relaxed: only the lock's holder writes it
    set(next & 1 == 0 ? .ticks0 : .ticks1, ticks)
    set(next & 1 == 0 ? .uptime0 : .uptime1, uptime)
    set(.pair, next)
    pairLock.storeRelease(0)  // release: pairs with the acquire above
  }

  /// Events that no reader will read. relaxed: a count
  func lose(_ count: UInt64 = 1) { _ = cell(.lostEvents).pointee.addRelaxed(count) }

  /// The bytes that the file has got, where it got no more; nil if there was room for all that was asked for.
  var bytesWhenFull: UInt64? {
    // relaxed, both: counts
    let (refused, taken) = (cell(.refusals).pointee.loadRelaxed(), cell(.chunksTaken).pointee.loadRelaxed())
    return refused == 0 ? nil : UInt64(Layout.headSize) + (taken - min(taken, refused)) * UInt64(Layout.chunkSize)
  }

  // MARK: pieces

  func chunk(_ number: UInt64) -> UnsafeMutableRawPointer { start + Layout.headSize + Int(number) * Layout.chunkSize }

  /// The piece in which a ring goes on, which reads as zeros: a new one, or the oldest of those that are full; nil if there is neither.
  /// `last`, which the ring has filled, is full now.
  func nextChunk(after last: UInt64?) -> UInt64? {
    let fresh = takeChunk()
    lock(pieceLock)
    if let last {
      full[(oldest + fullCount) % Int(limit)] = last
      fullCount += 1
    }
    var found = fresh
    if fresh == nil, fullCount > 0 {
      found = full[oldest]
      (oldest, fullCount) = ((oldest + 1) % Int(limit), fullCount - 1)
    }
    unlock(pieceLock)
    if fresh == nil, let found { empty(found) }
    return found
  }

  /// The piece is the caller's alone.
  private func empty(_ number: UInt64) {
    let place = chunk(number)
    // acquire-release: what follows stays behind it: no reader takes the events for the new ones while they go
    _ = UnsafeRawPointer(place).assumingMemoryBound(to: Atomic64.self).pointee.exchangeAcqRel(0)
    (place + 8).initializeMemory(as: UInt8.self, repeating: 0, count: Layout.chunkSize - 8)
  }

  /// A piece that no thread has had; nil once there is no more.
  private func takeChunk() -> UInt64? {
    let taken = cell(.chunksTaken)
    var number = taken.pointee.loadRelaxed()  // relaxed: the swap re-checks
    while number < limit {
      // relaxed: hands out a number; what is at that place is no thread's yet
      let swap = taken.pointee.casRelaxed(number, number + 1)
      if swap.exchanged {
        if grow(Layout.headSize + Int(number) * Layout.chunkSize, Layout.chunkSize) {
          _ = cell(.grown).pointee.addRelaxed(1)  // relaxed: a count; a reader of the file compares it with the file's size
          return number
        }
        _ = cell(.refusals).pointee.addRelaxed(1)  // relaxed: a count; nothing is read through it
        return nil
      }
      number = swap.original
    }
    return nil
  }

  /// A number for a thread that writes its first event, and for a ring.
  func newThread() -> UInt64 { threads.add(1) + 1 }
  func newRing() -> UInt64 { rings.add(1) + 1 }

  /// The thread has ended, and its ring is for the next one.
  func leave(_ ring: UnsafeMutablePointer<Ring>) {
    lock(pieceLock)
    ring.pointee.after = left
    left = ring
    unlock(pieceLock)
  }

  /// A ring that a thread has left.
  func takeLeft() -> UnsafeMutablePointer<Ring>? {
    lock(pieceLock)
    defer { unlock(pieceLock) }
    let ring = left
    left = ring?.pointee.after
    return ring
  }

  // MARK: names

  /// Names what lies at `address`, unless it has a name in this recording. The name counts from before the address is
  /// known: another thread may find it so, and write its event, while this one still makes the text.
  func nameOnce(_ kind: NameKind, _ address: UInt64, extra: UInt64 = 0, _ text: () -> String) {
    let since = machine.ticks()
    guard known.add(address, goesUntold: RecordHooks.goesUntold(kind, extra)) != .known else { return }
    name(kind, address, extra: extra, text(), since: since)
  }

  /// Writes down what is called `text`, from the counter's `since` on. A text too long for an entry goes on in the next
  /// ones, and is cut after 1,000 bytes.
  func name(_ kind: NameKind, _ address: UInt64, extra: UInt64, _ text: String, since: UInt64) {
    var text = text
    while text.utf8.count > 1_000 { text.removeLast() }
    text.withUTF8 { bytes in
      let room = Layout.nameSize - Layout.nameText, further = Layout.nameSize - Layout.moreText
      let more = bytes.count <= room ? 0 : (bytes.count - room + further - 1) / further
      lock(nameLock)
      defer { unlock(nameLock) }
      guard let entry = reserveAssumingLocked(1 + more) else {
        _ = cell(.lostNames).pointee.addRelaxed(1)  // relaxed: a count; nothing is read through it
        return
      }
      // From the last to the first: the first is whole once its first word stands there.
      for number in stride(from: more, to: 0, by: -1) {
        let place = entry + number * Layout.nameSize, from = room + (number - 1) * further
        copy(bytes, from, min(further, bytes.count - from), place + Layout.moreText)
        publish(place, UInt64(NameKind.more.rawValue))
      }
      copy(bytes, 0, min(room, bytes.count), entry + Layout.nameText)
      (entry + 8).storeBytes(of: address, as: UInt64.self)
      (entry + 16).storeBytes(of: since, as: UInt64.self)
      (entry + 24).storeBytes(of: extra, as: UInt64.self)
      publish(entry, UInt64(kind.rawValue) | UInt64(more) << 8 | UInt64(bytes.count) << 16)
    }
  }

  private func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ count: Int, _ place: UnsafeMutableRawPointer) {
    if count > 0 { place.copyMemory(from: UnsafeRawPointer(bytes.start + from), byteCount: count) }
  }

  private func publish(_ place: UnsafeMutableRawPointer, _ word: UInt64) {
    // release: a reader of the file finds the entry whole
    UnsafeRawPointer(place).assumingMemoryBound(to: Atomic64.self).pointee.storeRelease(word)
  }

  private func reserveAssumingLocked(_ count: Int) -> UnsafeMutableRawPointer? {
    if nameChunk == nil || nameCount + count > Layout.namesInChunk {
      // Names stay: there is to be room for events as well.
      guard nameChunks < max(1, limit / 4), let number = nextChunk(after: nil) else { return nil }
      let fresh = chunk(number)
      publish(fresh, Layout.names)
      (nameChunk, nameCount) = (fresh, 0)
      nameChunks += 1
    }
    defer { nameCount += count }
    return nameChunk.map { $0 + Layout.chunkHeadSize + nameCount * Layout.nameSize }
  }

  // A spin that yields: it is seldom taken, and for a moment each time. acquire: pairs with the release below
  private func lock(_ word: borrowing Atomic32) { while !word.casAcquire(0, 1).exchanged { Parking.yield() } }
  private func unlock(_ word: borrowing Atomic32) { word.storeRelease(0) }  // release: pairs with the acquire above
}

/// The clocks, the process and the thread's name that a recording notes. Tests give fixed ones, so that each machine
/// writes the same bytes.
struct RecordedMachine: Sendable {
  var ticks: @Sendable () -> UInt64 = { Clock.ticks() }
  var uptime: @Sendable () -> UInt64 = { Clock.uptime() }
  var wall: @Sendable () -> UInt64 = { Clock.wall() }
  var process = UInt64(Threads.mainID)
  /// The first 16 bytes of the calling thread's name.
  var threadName: @Sendable () -> (UInt64, UInt64) = { Ring.ownName() }
}
