// OwnerReading.swift: how the word of a lock, queue or once says who holds it. Who waits for whom is WaitGraph.swift.
import SignalboxSystem

/// An object whose word names its holder, and how to read that word.
public struct OwnerWord: Sendable, Equatable {
  /// The object in the low 56 bits, the reading above.
  public let bits: UInt64
  /// The word of the object at `address`. Addresses of this process fit in 56 bits.
  @inlinable public init(_ address: UInt, _ reading: OwnerReading) {
    bits = UInt64(address) | UInt64(reading.rawValue) << 56
  }
  init(bits: UInt64) { self.bits = bits }
  /// The object, or what the reading has in its place.
  package var address: UInt { UInt(bits & 0x00FF_FFFF_FFFF_FFFF) }
  /// How the object's word is read.
  package var reading: OwnerReading { OwnerReading(rawValue: UInt8(bits >> 56)) ?? .nobody }

  /// Whoever calls the condition that is waited for.
  public static let anyone = OwnerWord(0, .anyone)
  /// Whoever gives the lock that is waited for back with `number`.
  public static func number(_ number: Int) -> OwnerWord {
    OwnerWord(UInt(bitPattern: number) & 0x00FF_FFFF_FFFF_FFFF, .number)
  }
  /// That number, as far as 56 bits hold it.
  var number: Int { Int(truncatingIfNeeded: Int64(bitPattern: bits << 8) >> 8) }
}

/// The layouts of owner words. Some are read by the layers above (`DiagnosedLayer.answer`).
public enum OwnerReading: UInt8, Sendable {
  case nobody = 0
  /// A 32-bit word with the owner in its low 24 bits.
  case lock = 1
  /// The address *is* the owner: a thread known by itself.
  case thread = 2
  /// A 64-bit word with the owner from bit 2 on.
  case once = 3
  /// A reader-writer lock: read by SignalboxLocks.
  case readerWriter = 4
  /// A serial queue, a concurrent one, a work item: read by SignalboxDispatch.
  case serialQueue = 5, concurrentQueue = 7, workItem = 8
  /// A mutex of the C library; the kernel's thread number is what it holds.
  case foreign = 6
  /// The main thread, whatever the address.
  case mainThread = 9
  /// A parallel loop whose caller waits: whoever is inside of one of its bodies keeps the caller waiting.
  case parallelLoop = 10
  /// An operation: whoever runs its `main()`. Read by SignalboxClasses.
  case operation = 11
  /// A list of the pool's, whatever the address: some worker comes for what lies there.
  case pool = 12
  /// Anybody, whatever the address: whoever calls a condition.
  case anyone = 13
  /// Anybody who gives a lock back with a number; the address is the number's low 56 bits.
  case number = 14
}

/// What an owner word says.
public struct OwnerAnswer: Sendable, Equatable {
  /// The thread that holds the object; 0 for nobody.
  public var owner: UInt64 = 0
  /// Nobody holds the object itself, but it waits for `next`.
  public var followsNext = false
  /// What it waits for, as its own words say at this moment; nil: the next word in the list.
  public var next: OwnerWord?
  /// Everybody who is inside the object, by frames or shared locks, keeps the waiter out.
  public var blockedByHolders = false
  /// Nobody holds it, and it lets nobody in: a queue that is suspended or not active.
  public var isStopped = false
  /// Nobody holds it alone, and some run in it beside others.
  public var isShared = false
  /// Nothing is known of anybody.
  public init() {}
  /// The thread `owner` holds it.
  public init(owner: UInt64) { self.owner = owner }
  /// Everybody who is inside of it.
  static let holders: OwnerAnswer = {
    var answer = OwnerAnswer()
    answer.blockedByHolders = true
    return answer
  }()
}

/// Reads owner words: allocation-free, lock-free, never faults.
enum OwnerReader {
  /// `isAlive`: the caller itself waits for the object, which is there as long as it does.
  static func read(_ word: OwnerWord, isAlive: Bool = false) -> OwnerAnswer {
    switch word.reading {
    case .nobody, .foreign, .pool, .anyone, .number: return OwnerAnswer()
    case .thread: return OwnerAnswer(owner: UInt64(word.address))
    case .lock: return OwnerAnswer(owner: UInt64((SafeMemory.word32(word.address, isAlive: isAlive) ?? 0) & 0xFF_FFFF))
    case .once:
      let value = SafeMemory.word64(word.address, isAlive: isAlive) ?? 0
      // All ones means done; bit 0 that somebody runs.
      return value == ~0 || value & 1 == 0 ? OwnerAnswer() : OwnerAnswer(owner: value >> 2 & 0xFF_FFFF)
    case .mainThread: return OwnerAnswer(owner: WaitRecord.mainThread)
    case .parallelLoop: return .holders
    case .readerWriter, .serialQueue, .concurrentQueue, .workItem, .operation:
      return Layers.first { $0.answer(word, isAlive: isAlive) } ?? OwnerAnswer()
    }
  }
}
