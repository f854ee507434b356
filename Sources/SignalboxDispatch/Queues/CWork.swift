// CWork.swift: a C function and its argument as an item. Two words in a slot, like a closure; nothing is counted or freed.
import SignalboxSystem

/// What C callers submit.
package typealias CFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// A C function with its argument.
package struct CWork {
  package let function: CFunction
  package let argument: UnsafeMutableRawPointer?

  package init(_ function: @escaping CFunction, _ argument: UnsafeMutableRawPointer?) {
    (self.function, self.argument) = (function, argument)
  }

  /// As it lies in a slot.
  @inline(__always) var raw: RawWork {
    RawWork(
      function: UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))) | SlotKind.cFunction,
      context: UInt64(UInt(bitPattern: argument)))
  }

  /// Calls a function whose two words lie in a slot.
  @inline(__always) static func call(_ first: UInt64, _ second: UInt64) {
    // SAFETY: the inverse of `raw`.
    let function = unsafeBitCast(UInt(first & ~SlotKind.cFunction), to: CFunction.self)
    function(UnsafeMutableRawPointer(bitPattern: UInt(second)))
  }
}

extension DispatchQueue {
  /// Submits a C function; allocates nothing in the steady state.
  package final func async(_ work: CWork) { submit(work.raw) }

  /// Submits a C function as a member of `group`, which lives until it has left, and as a barrier if `isBarrier`.
  package final func async(_ work: CWork, group: DispatchGroup?, isBarrier: Bool) {
    if group == nil && !isBarrier { return async(work) }
    submit(work.raw, group: group.map { .passUnretained($0) }, flags: isBarrier ? .barrier : [])
  }
}

extension DispatchGroup {
  /// Submits a C function to `queue` once the members that are inside now have left.
  package final func notify(queue: DispatchQueue, _ work: CWork) {
    let words = work.raw
    register(queue, words.function, words.context)
  }
}
