// Lent+Counting.swift: from a lent reference to one that is counted by hand.
import SignalboxSystem

extension Lent {
  /// The same object, to be retained or released.
  var counted: Unmanaged<Object> { .at(UInt(address)) }
}
