// SwiftClass.swift: objects of a Swift class that is not Signalbox's, read from outside: which class they are of, and where their fields
// lie. By the compiler's descriptions of types, which stay as they are; every word through SafeMemory, so that a word that is no
// object's leads nowhere and faults nowhere.
import CSignalbox

/// A class, by its metadata. Allocates for names only; takes no lock, and calls nothing of the class.
public struct SwiftClass: Equatable, Sendable {
  /// Where its metadata lies.
  public let address: UInt
  private let descriptor: UInt

  /// The class whose metadata lies at `address`; nil for what is none.
  ///
  /// - Note: metadata of a class: kind 0, the class above, two words for the runtime, sizes, the descriptor.
  public init?(at address: UInt) {
    guard address & 7 == 0, SafeMemory.word64(address) == 0, let descriptor = Self.pointer(address + 40), descriptor & 3 == 0,
      // The lowest bits of a descriptor's flags are its kind: 16 is a class.
      let flags = SafeMemory.word32(descriptor), flags & 0x1F == 16
    else { return nil }
    (self.address, self.descriptor) = (address, descriptor)
  }

  /// The class of the object at `address`, if that is one.
  public init?(ofObject address: UInt) {
    guard address & 15 == 0, let metadata = Self.pointer(address) else { return nil }
    self.init(at: metadata)
  }

  /// The class whose metadata a library of this process has under `symbol`; nil if none has. Asks the loader.
  public init?(symbol: StaticString) {
    guard let place = sb_find_symbol(symbol.cString) else { return nil }
    self.init(at: UInt(bitPattern: place))
  }

  /// Whether it is `other` or one below it.
  public func isKind(of other: SwiftClass) -> Bool {
    var next: SwiftClass? = self
    for _ in 0..<32 {
      guard let one = next else { return false }
      if one == other { return true }
      next = Self.pointer(one.address + 8).flatMap { SwiftClass(at: $0) }
    }
    return false
  }

  /// Its name, without its module.
  public var name: String? { Self.relative(descriptor + 8).flatMap { SwiftText.zeroEnded($0) } }

  /// How far into an object the field `name` lies, which the class itself declares; nil if it declares none of that name.
  public func offset(of name: String) -> UInt? {
    guard let fields = Self.relative(descriptor + 16), let size = SafeMemory.word32(fields + 8).map({ UInt($0 >> 16) }),
      let count = SafeMemory.word32(fields + 12), count < 1_000, let vector = SafeMemory.word32(descriptor + 40)
    else { return nil }
    for index in 0..<UInt(count) {
      guard let text = Self.relative(fields + 16 + index * size + 8), SwiftText.zeroEnded(text) == name else { continue }
      return SafeMemory.word64(address + (UInt(vector) + index) * 8).map { UInt($0) }
    }
    return nil
  }

  private static func pointer(_ place: UInt) -> UInt? {
    SafeMemory.word64(place).flatMap { $0 >> 47 == 0 && $0 > 4096 ? UInt($0) : nil }
  }

  /// What a relative reference at `place` leads to.
  private static func relative(_ place: UInt) -> UInt? {
    guard let distance = SafeMemory.word32(place), distance != 0 else { return nil }
    return place &+ UInt(bitPattern: Int(Int32(bitPattern: distance)))
  }
}

/// Texts in memory that may be gone.
public enum SwiftText {
  /// The longest text that is read, in bytes.
  private static let limit: UInt = 256

  /// Bytes up to a zero.
  static func zeroEnded(_ address: UInt) -> String? {
    var bytes: [UInt8] = []
    for index in 0..<limit {
      guard let byte = byte(address + index) else { return nil }
      if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// The value of a field of type `String?` at `address`; nil for none, and for one that is bridged.
  public static func optional(at address: UInt) -> String? {
    guard let low = SafeMemory.word64(address), let high = SafeMemory.word64(address + 8), high != 0 else { return nil }
    if high >> 61 & 1 == 1 {
      // Up to 15 bytes lie in the two words themselves.
      let count = high >> 56 & 15
      var bytes: [UInt8] = []
      for index in 0..<count {
        let word = index < 8 ? low : high
        bytes.append(UInt8(truncatingIfNeeded: word >> (index % 8 * 8)))
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    guard high >> 60 & 1 == 0 else { return nil }
    let count = min(UInt(low & 0xFFFF_FFFF_FFFF), limit), start = UInt(high & 0x00FF_FFFF_FFFF_FFFF) + 32
    var bytes: [UInt8] = []
    for index in 0..<count {
      guard let byte = byte(start + index) else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The byte at `address`; nil where no memory is.
  public static func byte(_ address: UInt) -> UInt8? {
    SafeMemory.word64(address & ~7).map { UInt8(truncatingIfNeeded: $0 >> (8 * UInt64(address & 7))) }
  }
}
