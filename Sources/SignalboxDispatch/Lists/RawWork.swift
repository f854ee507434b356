// RawWork.swift: a closure as the two words of an item, while its reference is not counted.
import SignalboxWords

/// A closure kept as a struct: as a generic argument of its own it would be wrapped in a thunk at each store.
@usableFromInline
struct Work {
  @usableFromInline let body: () -> Void
  @inlinable @inline(__always) init(_ body: consuming @escaping () -> Void) { self.body = body }
}

/// A closure's two words while its reference is not counted.
@usableFromInline
struct RawWork {
  @usableFromInline var function: UInt64 = 0
  @usableFromInline var context: UInt64 = 0
  @inlinable @inline(__always) init() {}
  @inlinable @inline(__always) init(function: UInt64, context: UInt64) {
    self.function = function
    self.context = context
  }

  /// Takes over the closure's reference.
  @inlinable @inline(__always)
  init(taking work: consuming @escaping () -> Void) {
    // SAFETY: a Swift closure is a function and a context word; initialising the local's bytes moves the reference into
    // them, and a struct of integers is never released, so the reference now belongs to the two words.
    self.init()
    let moved = Work(work)
    withUnsafeMutablePointer(to: &self) { _ = UnsafeMutableRawPointer($0).initializeMemory(as: Work.self, to: moved) }
  }

  /// Gives the reference back as a closure; once only.
  @inlinable @inline(__always)
  consuming func take() -> Work {
    // SAFETY: the inverse of init(taking:); after the move the words are dead.
    var words = self
    return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Work.self).move() }
  }
}

extension Slot {
  /// A closure, or a C function, as an item.
  @inline(__always) init(_ work: RawWork) { self.init(work.function, work.context) }
  /// The closure or C function that the slot is.
  @inline(__always) var work: RawWork { RawWork(function: first, context: second) }
}
