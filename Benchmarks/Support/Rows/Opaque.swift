// Opaque.swift: calls the optimiser cannot see into, so that no row's work vanishes or moves.

/// The body of an operation: an opaque call that does nothing.
@inline(never) @_optimize(none)
public func opaqueBody() {}

/// The body of an operation that uses a value.
@inline(never) @_optimize(none)
public func opaqueBody(_ value: Int) {}

/// A long body: about one and a half microseconds of arithmetic in which each step waits for the one before.
@inline(never) @_optimize(none)
public func opaqueWork() {
  var value: UInt64 = 1, left = 1_400
  while left > 0 {
    value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    left &-= 1
  }
}

/// Uses an object, so that creating it cannot be left out.
@inline(never) @_optimize(none)
public func keep(_ object: AnyObject) {}

/// Uses a value, so that computing it cannot be left out.
@inline(never) @_optimize(none)
public func keep(_ value: UInt64) {}

// SAFETY: touched only by items that the measured queue itself orders one after the other; lives as long as the process.
/// A counter for closures that run one after the other: one word, never freed, so that capturing it costs a word and no
/// reference counting.
public struct Tally: @unchecked Sendable {
  @usableFromInline let word: UnsafeMutablePointer<Int>

  /// A counter at zero.
  public init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  /// Counts one.
  @inlinable
  public func bump() { word.pointee &+= 1 }
}

// SAFETY: the writer stores before it wakes the reader, and the reader loads after it woke; lives as long as the process.
/// A moment noted by one thread and read by another after a wake-up that orders them.
public struct Stamp: @unchecked Sendable {
  @usableFromInline let word: UnsafeMutablePointer<Double>

  /// Nothing noted yet.
  public init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  /// Notes this moment.
  public func mark() { word.pointee = monotonicNanoseconds() }

  /// The moment noted last.
  public var nanoseconds: Double { word.pointee }
}
