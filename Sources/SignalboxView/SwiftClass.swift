// SwiftClass.swift: objects of a Swift class that is not Signalbox's, read from outside: which class they are of, and
// where their fields lie. By the compiler's descriptions of types, which stay as they are; a word that is no object's
// leads nowhere and faults nowhere.
import SignalboxWords

/// A class, by its metadata. Allocates for names only; takes no lock, and calls nothing of the class.
package struct SwiftClass: Sendable {
  /// Where its metadata lies.
  package let address: UInt64
  private let descriptor: UInt64
  private let memory: ReadMemory

  /// The class whose metadata lies at `address`; nil for what is none.
  ///
  /// - Note: metadata of a class: kind 0, the class above, two words for the runtime, sizes, the descriptor.
  package init?(at address: UInt64, in memory: ReadMemory) {
    guard address & 7 == 0, memory.word64(address) == 0, let descriptor = Self.pointer(address &+ 40, memory),
      descriptor & 3 == 0,
      // The lowest bits of a descriptor's flags are its kind: 16 is a class.
      let flags = memory.word32(descriptor), flags & 0x1F == 16
    else { return nil }
    (self.address, self.descriptor, self.memory) = (address, descriptor, memory)
  }

  /// The class of the object at `address`, if that is one.
  package init?(ofObject address: UInt64, in memory: ReadMemory) {
    guard address & 15 == 0, let metadata = Self.pointer(address, memory) else { return nil }
    self.init(at: metadata, in: memory)
  }

  /// Whether it is `other` or one below it.
  package func isKind(of other: SwiftClass) -> Bool {
    var next: SwiftClass? = self
    for _ in 0..<32 {
      guard let one = next else { return false }
      if one.address == other.address { return true }
      next = Self.pointer(one.address &+ 8, memory).flatMap { SwiftClass(at: $0, in: memory) }
    }
    return false
  }

  /// Whether it was declared as an actor.
  package var isActor: Bool { memory.word32(descriptor).map { $0 & Self.actorFlag != 0 } ?? false }
  /// Of a descriptor's flags the upper half is of classes alone; the bit says that it is an actor.
  private static let actorFlag: UInt32 = 1 << (16 + 7)

  /// Its name, without its module.
  package var name: String? { relative(descriptor &+ 8).flatMap { memory.zeroEnded($0) } }

  /// How far into an object the field `name` lies, which the class itself declares; nil if it declares none of that
  /// name.
  package func offset(of name: String) -> UInt64? {
    guard let fields = relative(descriptor &+ 16), let size = memory.word32(fields &+ 8).map({ UInt64($0 >> 16) }),
      let count = memory.word32(fields &+ 12), count < 1_000, let vector = memory.word32(descriptor &+ 40)
    else { return nil }
    for index in 0..<UInt64(count) {
      guard let text = relative(fields &+ 16 &+ index * size &+ 8), memory.zeroEnded(text) == name else { continue }
      return memory.word64(address &+ (UInt64(vector) + index) * 8)
    }
    return nil
  }

  private static func pointer(_ place: UInt64, _ memory: ReadMemory) -> UInt64? {
    memory.word64(place).flatMap { $0 >> 47 == 0 && $0 > 4096 ? $0 : nil }
  }

  /// What a relative reference at `place` leads to.
  private func relative(_ place: UInt64) -> UInt64? {
    guard let distance = memory.word32(place), distance != 0 else { return nil }
    return place &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance)))
  }
}
