// ObjectAddress.swift: an object's address as descriptions show it. An object's hash is something else here.

/// The digits of the object's address.
func hexAddress(of object: AnyObject) -> String {
  String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
