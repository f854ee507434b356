// FrameWord.swift: what a thread is inside of, and how, in one word: of a frame on its stack, or of its record.

/// How the thread is inside the object.
@frozen
public enum FrameKind: UInt, Sendable {
  /// A sync that runs alone: on a serial queue, or a barrier.
  case syncAlone = 0
  /// A sync beside others.
  case syncShared = 1
  /// Taking items off and running them alone.
  case drainAlone = 2
  /// Running one item beside others.
  case drainShared = 3

  /// Whether items are run, not a caller's body.
  @inlinable package var isDrain: Bool { self == .drainAlone || self == .drainShared }
  /// Whether nobody else is inside.
  @inlinable package var isAlone: Bool { self == .syncAlone || self == .drainAlone }
}

/// What a frame says, in one word. Objects are at least 16-byte aligned, so the kind fits below.
@frozen
public struct FrameWord: Sendable, Equatable {
  /// The object's address and, in the lowest two bits, the kind.
  public let bits: UInt

  /// Inside of the object at an address.
  @inlinable @inline(__always)
  public init(_ object: UInt, _ kind: FrameKind) { bits = object | kind.rawValue }

  /// Bits that a frame or a record has held.
  @inlinable @inline(__always)
  public init(bits: UInt) { self.bits = bits }

  /// The address of the object that the thread is inside of.
  @inlinable public var object: UInt { bits & ~7 }

  /// How.
  @inlinable public var kind: FrameKind {
    switch bits & 3 {
    case 0: .syncAlone
    case 1: .syncShared
    case 2: .drainAlone
    default: .drainShared
    }
  }
}

/// Where in a frame of a thread's its words lie, in bytes.
@usableFromInline package enum FrameLayout {
  /// The frame's own word, and the address of the next outer frame.
  package static var word: UInt { 0 }
  package static var previous: UInt { 8 }
  /// Behind the frame of a drain: the two words of the item that runs.
  package static var item: UInt { 16 }
}
