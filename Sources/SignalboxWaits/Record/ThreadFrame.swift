// ThreadFrame.swift: what a thread is doing, as a chain of small stack records. Knows no queue: objects are addresses.
//
// A frame lives in the stack frame of the function that pushed it. Only its own thread walks the chain; reports of
// other threads' chains are taken on those threads.
import CSignalbox
public import SignalboxSystem
import SignalboxWords

/// One level of what a thread is inside of.
@frozen
public struct ThreadFrame {
  /// The object and the kind in one word.
  public let word: FrameWord
  /// The next outer frame.
  public let previous: UnsafeMutablePointer<ThreadFrame>?

  /// The address of the object the thread is inside of.
  @inlinable public var object: UInt { word.object }
  /// How.
  @inlinable public var kind: FrameKind { word.kind }

  /// A frame around which lies `previous`.
  @inlinable @inline(__always)
  public init(object: UInt, kind: FrameKind, previous: UnsafeMutablePointer<ThreadFrame>?) {
    word = FrameWord(object, kind)
    self.previous = previous
  }
}

extension UnsafeMutablePointer where Pointee == ThreadFrame {
  /// Calls `body` with this frame and each one around it, until it says that it has seen enough.
  @inline(__always) package func first(where isWanted: (Self) -> Bool) -> Self? {
    var frame: Self? = self
    while let here = frame {
      if isWanted(here) { return here }
      frame = here.pointee.previous
    }
    return nil
  }
}

extension ThreadTable.Entry {
  /// Calls `body` with each frame on the thread's stack and the frame's address, innermost first, as long as it says to
  /// go on. Right only while the thread sleeps; never faults.
  package func forEachFrame(_ body: (_ frame: FrameWord, _ place: UInt) -> Bool) {
    var next = SafeMemory.word64(record + UInt(SB_THREAD_FRAMES)) ?? 0
    for _ in 0..<64 where next != 0 {
      let place = UInt(next)
      guard let bits = SafeMemory.word64(place), let outer = SafeMemory.word64(place + FrameLayout.previous) else { return }
      guard body(FrameWord(bits: UInt(bits)), place) else { return }
      next = outer
    }
  }

  /// The frames on the thread's stack, innermost first: right only while the thread sleeps.
  package var frames: [FrameWord] {
    var found: [FrameWord] = []
    forEachFrame { frame, _ in
      found.append(frame)
      return true
    }
    return found
  }
}

extension UnsafeMutablePointer where Pointee == ThreadRecord {
  /// The thread's innermost frame. SAFETY: whoever pushes a frame takes it off before its stack memory goes.
  @inlinable @inline(__always) public var innermostFrame: UnsafeMutablePointer<ThreadFrame>? {
    get { pointee.frames?.assumingMemoryBound(to: ThreadFrame.self) }
    nonmutating set { pointee.frames = UnsafeMutableRawPointer(newValue) }
  }

  /// Runs `body` inside of the object: a frame says so until it returns or throws. For the thread's own pointer.
  @inlinable @inline(__always)
  public func inside<Result, Failure: Error>(
    _ object: UInt, _ kind: FrameKind, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var frame = ThreadFrame(object: object, kind: kind, previous: innermostFrame)
    return try withUnsafeMutablePointer(to: &frame) { (pointer) throws(Failure) -> Result in
      innermostFrame = pointer
      defer { innermostFrame = pointer.pointee.previous }
      return try body()
    }
  }
}

extension ThreadTable.Entry {
  /// Whether the thread is inside `object`: by its record while it waits with us, else by the frames on its stack,
  /// which stand still while it sleeps elsewhere. Of a running thread the answer may be wrong; it waits for nobody
  /// then.
  package func isInside(_ object: UInt) -> Bool {
    let record = Record(of: owner)
    if record[.what] != 0, record[.owner] == owner { return record.isInside(object) }
    return isInsideByFrames(object) || holdsForReading(object)
  }

  /// Whether a frame on the thread's stack is as wanted: right only while the thread stays inside of it.
  package func isInside(where isWanted: (FrameWord) -> Bool) -> Bool { frames.contains(where: isWanted) }

  /// Whether the thread runs items of `object`: right only while it stays inside of them.
  package func drains(_ object: UInt) -> Bool { isInside { $0.object == object && $0.kind.isDrain } }

  private func isInsideByFrames(_ object: UInt) -> Bool { frames.contains { $0.object == object } }

  private func holdsForReading(_ object: UInt) -> Bool {
    let place = self.record + UInt(SB_THREAD_SHARED)
    let count = min(SafeMemory.word64(place) ?? 0, 8)
    for index in 0..<UInt(count) where SafeMemory.word64(place + 8 + index * 8) == UInt64(object) { return true }
    return false
  }
}
