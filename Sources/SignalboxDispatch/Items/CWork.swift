// CWork.swift: a C function with its context, for both C faces: called at once, visited by, or an item. Two words in a slot, like a
// closure; nothing is counted or freed.
import SignalboxSystem
import SignalboxWords

/// What C callers give: called with its context.
package typealias CFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// A C function with its context: the only way in which the faces carry the two.
///
/// Each call goes through the border that no exception crosses (`CCall`).
package struct CWork: @unchecked Sendable {
  // SAFETY: who gives a queue a context answers for its use on another thread; that is the C interface's contract.
  package let function: CFunction
  package let argument: UnsafeMutableRawPointer?

  package init(_ function: @escaping CFunction, _ argument: UnsafeMutableRawPointer?) {
    (self.function, self.argument) = (function, argument)
  }

  /// A function of our own, whose argument is there.
  init(_ function: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void, _ argument: UnsafeMutableRawPointer) {
    // SAFETY: both are functions of one pointer, and this one is given no other than `argument`.
    self.init(unsafeBitCast(function, to: CFunction.self), argument)
  }

  /// A function that takes more than its context, by address: for `run(_:)`, or for who knows its type.
  package init(address: UnsafeRawPointer, _ argument: UnsafeMutableRawPointer?) {
    // SAFETY: called by `run(_:)`, or by who casts it back to its type.
    self.init(unsafeBitCast(address, to: CFunction.self), argument)
  }

  /// The function's address.
  package var address: UnsafeRawPointer { unsafeBitCast(function, to: UnsafeRawPointer.self) }

  /// What lies in a slot; nil if that is a closure.
  init?(raw: RawWork) {
    guard !SlotKind.isClosure(raw.function) else { return nil }
    // SAFETY: the inverse of `raw`.
    function = unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(raw.function & ~SlotKind.cFunction)), to: CFunction.self)
    argument = UnsafeMutableRawPointer(bitPattern: UInt(raw.context))
  }

  package func run() { CWork.call(Slot(raw)) }

  /// Calls a function that takes a number behind its context.
  package func run(_ number: Int) { CCall.call(address, argument, UInt(bitPattern: number)) }

  /// As it lies in a slot.
  @inline(__always) var raw: RawWork {
    RawWork(
      function: UInt64(UInt(bitPattern: address)) | SlotKind.cFunction,
      context: UInt64(UInt(bitPattern: argument)))
  }

  /// Calls a function whose two words lie in a slot.
  @inline(__always) static func call(_ slot: Slot) {
    // SAFETY: the inverse of `raw`.
    let function = UnsafeRawPointer.at(UInt(slot.first & ~SlotKind.cFunction))
    CCall.call(function, UnsafeMutableRawPointer(bitPattern: UInt(slot.second)))
  }
}
