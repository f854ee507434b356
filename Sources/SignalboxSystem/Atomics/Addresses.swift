// Addresses.swift: from an address in a word of ours back to what lies there. The word is never 0 when it is followed, so nothing is
// asked and nothing unwrapped; who keeps the thing alive is described where the word lives.

extension Unmanaged {
  /// The object at `address`. Nothing is counted.
  @inlinable @inline(__always)
  public static func at(_ address: UInt) -> Unmanaged<Instance> { unsafeBitCast(address, to: Unmanaged<Instance>.self) }
}

extension UnsafeRawPointer {
  /// The pointer whose bits these are.
  @inlinable @inline(__always)
  public static func at(_ address: UInt) -> UnsafeRawPointer {
    unsafeBitCast(UnsafeRawPointer(bitPattern: address), to: UnsafeRawPointer.self)
  }
}

extension UnsafeMutableRawPointer {
  /// The pointer whose bits these are.
  @inlinable @inline(__always)
  public static func at(_ address: UInt) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(mutating: .at(address)) }
}

extension UnsafePointer where Pointee: ~Copyable {
  /// The pointer whose bits these are.
  @inlinable @inline(__always)
  public static func at(_ address: UInt) -> UnsafePointer<Pointee> {
    UnsafeRawPointer.at(address).assumingMemoryBound(to: Pointee.self)
  }
}

extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// The pointer whose bits these are.
  @inlinable @inline(__always)
  public static func at(_ address: UInt) -> UnsafeMutablePointer<Pointee> {
    UnsafeMutableRawPointer.at(address).assumingMemoryBound(to: Pointee.self)
  }
}

// Where a buffer's elements lie, for C functions that get their number as well. Of an empty buffer the address is of nothing, and
// nothing is read or written there.
extension UnsafeRawBufferPointer {
  /// Where the bytes lie.
  @inlinable @inline(__always) public var start: UnsafeRawPointer { .at(UInt(bitPattern: baseAddress)) }
}

extension UnsafeMutableRawBufferPointer {
  /// Where the bytes lie.
  @inlinable @inline(__always) public var start: UnsafeMutableRawPointer { .at(UInt(bitPattern: baseAddress)) }
}

extension UnsafeBufferPointer {
  /// Where the elements lie.
  @inlinable @inline(__always) public var start: UnsafePointer<Element> { .at(UInt(bitPattern: baseAddress)) }
}

extension UnsafeMutableBufferPointer {
  /// Where the elements lie.
  @inlinable @inline(__always) public var start: UnsafeMutablePointer<Element> { .at(UInt(bitPattern: baseAddress)) }
}

extension StaticString {
  /// The text as C has it. It lives as long as the process.
  ///
  /// - Precondition: it is text in memory, as every string literal is.
  @inlinable @inline(__always) public var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
