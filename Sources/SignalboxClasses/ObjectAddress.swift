// ObjectAddress.swift: an object by its address: in descriptions, and to be counted by hand. Alone: every room uses it.
// An object's hash is something else here.
import SignalboxSystem

/// The digits of the object's address.
func hexAddress(of object: AnyObject) -> String {
  String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}

// MARK: from a lent reference to one that is counted by hand

extension Lent {
  /// The same object, to be retained or released.
  var counted: Unmanaged<Object> { .at(UInt(address)) }
}
