// RecordHooks.swift: the one way from an event to a thread's ring. Called by the recorder's subscriber
// (RecordedEvents.swift).
import SignalboxSystem
import SignalboxWords

/// Called where the byte says that a recorder records. Each does nothing if none does, in the child of a fork, and
/// where an explorer chooses.
public enum RecordHooks {
  /// Whether the hooks are to be called.
  @inlinable @inline(__always) public static var isOn: Bool { Instruments.byte & Instruments.recorder != 0 }

  // Not one function with default values: of a function that is not inlined, each of them is a call.

  /// Writes an event of the calling thread that says nothing more.
  @inlinable @inline(__always) public static func write(_ kind: EventKind) { write(kind, 0, 0, 0) }

  /// Writes an event of the calling thread about `a`.
  @inlinable @inline(__always) public static func write(_ kind: EventKind, _ a: UInt64) { write(kind, a, 0, 0) }

  /// Writes an event of the calling thread about `a` and `b`.
  @inlinable @inline(__always) public static func write(_ kind: EventKind, _ a: UInt64, _ b: UInt64) { write(kind, a, b, 0) }

  /// Writes an event of the calling thread.
  @inline(never)
  public static func write(_ kind: EventKind, _ a: UInt64, _ b: UInt64, _ c: UInt64) {
    let thread = ThreadSlot.current
    if _fastPath(thread.pointee.ring != nil) {
      // SAFETY: the thread's own, from `ring(_:)` to `threadEnds`.
      let ring = UnsafeMutableRawPointer.at(UInt(bitPattern: thread.pointee.ring)).assumingMemoryBound(to: Ring.self)
      if _fastPath(UInt64(UInt(bitPattern: ring.pointee.recording.toOpaque())) == CurrentRecording.bits) {
        return ring.pointee.write(kind, Clock.ticks(), a, b, c)
      }
    }
    guard let ring = makeRing(thread) else { return }
    ring.pointee.write(kind, Clock.ticks(), a, b, c)
  }

  @inline(never) private static func makeRing(_ thread: ThreadPointer) -> UnsafeMutablePointer<Ring>? {
    thread.pointee.ring = nil  // of another recording, which keeps it
    if Instruments.byte & Instruments.explorer != 0 || Instruments.isForkedChild { return nil }
    guard let recording = CurrentRecording.asked() else {
      CurrentRecording.miss()
      return nil
    }
    // At its end a thread has its ring no more, and would not give another back.
    guard thread.pointee.is_ending == 0 else {
      recording.lose()
      return nil
    }
    let owner = ThreadSlot.owner()
    var who = owner & RecordLayout.ownerMask | thread.pointee.tid << 32
    if Threads.isMain { who |= RecordLayout.isMain }
    if thread.pointee.worker != nil { who |= RecordLayout.isWorker }
    let left = recording.takeLeft()
    left?.pointee.passes(to: who)
    guard let ring = left ?? newRing(recording, who) else {
      recording.lose()
      return nil
    }
    thread.pointee.ring = UnsafeMutableRawPointer(ring)
    return ring
  }

  private static func newRing(_ recording: Recording, _ who: UInt64) -> UnsafeMutablePointer<Ring>? {
    guard let fresh = Ring(recording, who: who) else { return nil }
    let ring = UnsafeMutablePointer<Ring>.allocate(capacity: 1)
    ring.initialize(to: fresh)
    return ring
  }

  // MARK: a recording begins

  static func prepare(_ recording: Recording) {
    _ = isPrepared
    nameImages(recording)
  }

  private static let isPrepared: Void = {
    ThreadSlot.onThreadEnd {
      let thread = ThreadSlot.current
      guard let left = thread.pointee.ring, !Instruments.isForkedChild else { return }
      thread.pointee.ring = nil
      // SAFETY: as in write
      let ring = left.assumingMemoryBound(to: Ring.self)
      ring.pointee.write(.threadEnded, Clock.ticks(), 0, 0, 0)
      ring.pointee.recording._withUnsafeGuaranteedRef { $0.leave(ring) }
    }
    // The file is the parent's: its child writes nothing.
    Threads.onForkInChild {
      CurrentRecording.word.storeRelease(0)  // release: there is one thread
      Instruments.set(0, mask: Instruments.isForkedChild ? 0 : Instruments.recorder)
    }
  }()

  // MARK: names

  /// Names what lies at `address`, unless it has a name in this recording.
  @inlinable @inline(__always)
  public static func name(_ kind: NameKind, _ address: UInt64, extra: UInt64 = 0, _ text: () -> String) {
    if _slowPath(!isKnown(address, goesUntold: goesUntold(kind, extra))) { nameNew(kind, address, extra, text) }
  }

  /// Whether things of the kind go without an event that says so.
  @inlinable @inline(__always) static func goesUntold(_ kind: NameKind, _ extra: UInt64) -> Bool {
    kind == .object && extra == UInt64(WaitKind.foreignMutex.rawValue)
  }

  /// Whether what lies at `address` has a name in this recording.
  @inline(never) public static func isKnown(_ address: UInt64, goesUntold: Bool = false) -> Bool {
    let bits = CurrentRecording.bits
    // SAFETY: a recording lives forever.
    return bits != 0
      && Unmanaged<Recording>.at(UInt(bits))._withUnsafeGuaranteedRef {
        $0.known.contains(address, goesUntold: goesUntold)
      }
  }

  /// The same as `name`, for an address that seems to have none.
  @inline(never)
  public static func nameNew(_ kind: NameKind, _ address: UInt64, _ extra: UInt64, _ text: () -> String) {
    let byte = Instruments.byte
    guard byte & Instruments.explorer == 0, !Instruments.isForkedChild, let recording = CurrentRecording.asked() else { return }
    recording.nameOnce(kind, address, extra: extra, text)
  }

  /// What lies at `address` is no more.
  @inline(never) public static func gone(_ address: UInt) {
    guard !Instruments.isForkedChild, CurrentRecording.bits != 0, let recording = CurrentRecording.asked() else { return }
    recording.known.remove(UInt64(address))
  }

  /// Files with functions: what is mapped now and has no name.
  static func nameImages(_ recording: Recording) {
    MappedImages().forEach { range, base, path in
      recording.nameOnce(.image, UInt64(range.lowerBound), extra: UInt64(range.upperBound)) {
        "\(String(base, radix: 16)) \(path)"
      }
    }
  }
}
