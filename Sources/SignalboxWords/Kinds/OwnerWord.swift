// OwnerWord.swift: which word says which thread could end a wait, and how it is read, in one word. The readings are
// made by OwnerReader.
//
//   63      56 55                             0
//  ┌──────────┬────────────────────────────────┐
//  │ reading  │  the object's address          │
//  └──────────┴────────────────────────────────┘

/// An object whose word names its holder, and how to read that word.
public struct OwnerWord: Sendable, Equatable {
  /// The object in the low 56 bits, the reading above.
  public let bits: UInt64
  /// The word of the object at `address`. Addresses of this process fit in 56 bits.
  @inlinable public init(_ address: UInt, _ reading: OwnerReading) {
    bits = UInt64(address) | UInt64(reading.rawValue) << 56
  }
  /// The word of these bits, as a record has them.
  @inlinable package init(bits: UInt64) { self.bits = bits }
  @inlinable package static var addressMask: UInt64 { 1 << 56 - 1 }
  /// The object, or what the reading has in its place.
  @inlinable package var address: UInt { UInt(bits & Self.addressMask) }
  /// How the object's word is read; `nobody` for a reading that there is none of.
  @inlinable package var reading: OwnerReading { OwnerReading(rawValue: UInt8(bits >> 56)) ?? .nobody }

  /// The thread that signals the condition that is waited for, whichever it is.
  public static var anyone: OwnerWord { OwnerWord(0, .anyone) }
  /// The thread that unlocks the lock that is waited for with `number`, whichever it is.
  public static func number(_ number: Int) -> OwnerWord {
    OwnerWord(UInt(truncatingIfNeeded: number) & UInt(addressMask), .number)
  }
  /// That number, as far as 56 bits hold it.
  package var number: Int { Int(truncatingIfNeeded: Int64(bitPattern: bits << 8) >> 8) }
}

/// How an owner word is read; what it says then is an `OwnerAnswer`.
public enum OwnerReading: UInt8, Sendable {
  case nobody = 0
  /// A 32-bit word with the owner in its low 24 bits.
  case lock = 1
  /// The address *is* the owner: a thread known by itself.
  case thread = 2
  /// A 64-bit word with the owner from bit 2 on.
  case once = 3
  /// A reader-writer lock.
  case readerWriter = 4
  /// A serial queue, a concurrent one, a work item.
  case serialQueue = 5, concurrentQueue = 7, workItem = 8
  /// A mutex of the C library; the kernel's thread number is what it holds.
  case foreign = 6
  /// The main thread, whatever the address.
  case mainThread = 9
  /// A parallel loop whose caller waits: each thread inside of one of its bodies keeps the caller waiting.
  case parallelLoop = 10
  /// An operation: the thread that runs its `main()`.
  case operation = 11
  /// A list of the pool's, whatever the address: a worker comes for what lies there.
  case pool = 12
  /// Any thread, whatever the address: one that signals a condition.
  case anyone = 13
  /// Any thread that unlocks a lock with a number; the address is the number's low 56 bits.
  case number = 14
}

/// Up to six owner words, without memory of their own.
public struct OwnerWords: Sendable {
  private var items: InlineArray<6, UInt64> = InlineArray(repeating: 0)
  /// How many there are.
  public private(set) var count = 0
  /// None: no thread is known to be able to end the wait.
  public init() {}
  /// One.
  public init(_ word: OwnerWord) { append(word) }
  /// Adds one; beyond six it is left out, and the walk ends there.
  public mutating func append(_ word: OwnerWord) {
    guard count < items.count else { return }
    items[count] = word.bits
    count += 1
  }
  /// The word at a place below `count`.
  package subscript(index: Int) -> OwnerWord { OwnerWord(bits: items[index]) }
}
