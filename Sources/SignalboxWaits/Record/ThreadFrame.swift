// ThreadFrame.swift: what a thread is doing, as a chain of small stack records, and which item it runs. Knows no queue:
// objects are addresses.
//
// A frame lives in the stack frame of the function that pushed it. Only its own thread walks the chain; reports of
// other threads' chains are taken on those threads.
import CSignalbox
public import SignalboxSystem
import SignalboxView
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
  /// The thread's innermost frame. SAFETY: the code that pushes a frame takes it off before its stack memory goes.
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
  /// Whether the thread is inside `object`: by its record while it is in a wait of Signalbox's, else by the frames on
  /// its stack, which stand still while it sleeps elsewhere. Of a running thread the answer may be wrong; it waits for
  /// no thread then.
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

// MARK: the frame of a drain, with two words of the item that runs

// What a report says of the words is ItemReader.swift (SignalboxView).

/// The frame of a drain, with the words of the item that runs, as they lay in the queue.
///
/// The drain writes them before each item: two stores into its own stack frame. Reports read them of threads that stand
/// still.
package struct DrainFrame {
  /// First, as the chain of frames finds it.
  package let frame: ThreadFrame
  /// The item that runs, or the one that ran last; 0 before the first. A node is given back before its item runs: see
  /// ItemWords.
  package var item = Slot(0, 0)

  /// The item in the frame of a drain that lies at `place`, on another thread's stack; nil if it is gone.
  package static func item(ofFrameAt place: UInt) -> Slot? {
    guard let first = SafeMemory.word64(place + FrameLayout.item), let second = SafeMemory.word64(place + FrameLayout.item + 8)
    else {
      return nil
    }
    return Slot(first, second)
  }

  /// The frame of a drain of the object, around which lies `previous`.
  @inline(__always)
  package init(object: UInt, kind: FrameKind, previous: UnsafeMutablePointer<ThreadFrame>?) {
    frame = ThreadFrame(object: object, kind: kind, previous: previous)
  }
}

// MARK: which item a thread runs

extension RunningItem {
  /// The item that the thread `entry`, which stands still unless it `mayMove`, runs: of its innermost drain. nil if it
  /// drains nothing.
  package static func current(_ entry: ThreadTable.Entry, mayMove: Bool = false) -> RunningItem? {
    var found: RunningItem?
    entry.forEachFrame { frame, place in
      guard frame.kind.isDrain else { return true }
      found = DrainFrame.item(ofFrameAt: place).flatMap { ItemReader.own.item($0, in: mayMove ? nil : frame) }
      return false
    }
    return found
  }
}

extension ItemReader {
  /// Of this process's items.
  package static var own: ItemReader { ItemReader(.own, areOfOneImage: MappedImages.areInOne) }
}
