// ThreadFrame.swift: what a thread is doing, as a chain of small stack records. Knows no queue: objects are addresses.
//
// A frame lives in the stack frame of the function that pushed it. Only its own thread walks the chain; reports of other
// threads' chains are taken on those threads.
public import SignalboxSystem

/// One level of what a thread is inside of.
@frozen
public struct ThreadFrame {
  /// How the thread is inside the object.
  public enum Kind: UInt, Sendable {
    /// A sync that runs alone: on a serial queue, or a barrier.
    case syncAlone = 0
    /// A sync beside others.
    case syncShared = 1
    /// Taking items off and running them alone.
    case drainAlone = 2
    /// Running one item beside others.
    case drainShared = 3
  }

  @usableFromInline var bits: UInt
  /// The next outer frame.
  public let previous: UnsafeMutablePointer<ThreadFrame>?

  /// The address of the object the thread is inside of.
  @inlinable public var object: UInt { bits & ~7 }
  /// How.
  @inlinable public var kind: Kind { Kind(rawValue: bits & 7)! }

  /// Objects are at least 16-byte aligned, so the kind fits below.
  @inlinable @inline(__always)
  public init(object: UInt, kind: Kind, previous: UnsafeMutablePointer<ThreadFrame>?) {
    bits = object | kind.rawValue
    self.previous = previous
  }
}

extension UnsafeMutablePointer where Pointee == ThreadRecord {
  /// The thread's innermost frame. SAFETY: whoever pushes a frame takes it off before its stack memory goes.
  @inlinable @inline(__always) public var innermostFrame: UnsafeMutablePointer<ThreadFrame>? {
    get { pointee.frames?.assumingMemoryBound(to: ThreadFrame.self) }
    nonmutating set { pointee.frames = UnsafeMutableRawPointer(newValue) }
  }
}
