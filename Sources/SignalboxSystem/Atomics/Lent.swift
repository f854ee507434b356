// Lent.swift: a reference that counts nothing, to an object that somebody else keeps. The only place that uses the standard library's
// way to call such an object; a bare address followed for bytes is Addresses.swift.

/// A reference to an object that somebody else keeps for as long as this value is used.
///
/// Making and using one costs neither retain nor release. Who the keeper is, is stated where the value is made or stored: a queue
/// keeps its target, a slot keeps what it holds, a caller keeps its argument until the call returns.
@frozen
public struct Lent<Object: AnyObject>: @unchecked Sendable {
  // SAFETY of @unchecked: the value is one pointer that never changes; what may be done with the object is up to the object's type,
  // and that it is alive is the maker's promise.

  /// The same for whoever counts: the one who retains, or who gives back what he retained.
  public let reference: Unmanaged<Object>

  /// Lends `object`, which the caller keeps.
  @inlinable @inline(__always)
  public init(_ object: Object) { reference = .passUnretained(object) }

  /// Lends what an owning reference holds.
  @inlinable @inline(__always)
  public init(_ reference: Unmanaged<Object>) { self.reference = reference }

  /// The object at an address that `address` gave. It is not 0.
  @inlinable @inline(__always)
  public init(at address: UInt64) { reference = .at(UInt(address)) }

  /// The object at a pointer that was made of one.
  @inlinable @inline(__always)
  public init(at pointer: UnsafeRawPointer) { reference = .fromOpaque(pointer) }

  /// The object whose address a word of ours holds; nil for 0.
  @inlinable @inline(__always)
  public static func inWord(_ word: UInt64) -> Lent? { word == 0 ? nil : Lent(at: word) }

  /// The object's address, never 0.
  @inlinable @inline(__always)
  public var address: UInt64 { UInt64(UInt(bitPattern: reference.toOpaque())) }

  /// Calls `body` with the object, without counting it. The object must not leave the body unless it is retained there.
  @inlinable @inline(__always)
  public func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result { try reference._withUnsafeGuaranteedRef(body) }

  /// The object, retained for the caller as any strong reference is.
  @inlinable @inline(__always)
  public var kept: Object { reference.takeUnretainedValue() }
}

extension Lent: Equatable {
  /// Whether both are the same object.
  @inlinable @inline(__always)
  public static func == (left: Self, right: Self) -> Bool { left.address == right.address }
}
