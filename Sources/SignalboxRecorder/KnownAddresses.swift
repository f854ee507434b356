// KnownAddresses.swift: which addresses have got a name in this recording: a table that is read without a lock.
import SignalboxSystem

/// A set of addresses, of a fixed size; of each whether what lies there goes without a word, as mutexes of the C library
/// do. What is made in its place is another thing, and so is such a mutex in the place of what has gone.
///
/// Thread safety: any thread. Of two threads that add the same address both may get the answer that it is new, if others are taken out meanwhile.
struct KnownAddresses: ~Copyable, Sendable {
  static let capacity = 65_536
  private static let reach = 32
  private static let gone: UInt64 = 1
  private static let goesUntold: UInt64 = 1 << 63
  /// An address has fewer bits than the word.
  @inline(__always) private static func cell(_ address: UInt64, _ goesUntold: Bool) -> UInt64 {
    goesUntold ? address | Self.goesUntold : address
  }

  // SAFETY: memory for the life of the process, which begins as zeros; every access is atomic.
  private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic64>

  init() {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity * 8, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.capacity * 8)
    cells = bytes.assumingMemoryBound(to: Atomic64.self)
  }

  @inline(__always) private static func place(_ address: UInt64) -> Int {
    Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 48)
  }

  /// Whether the address is there, with such a thing: the quick question.
  @inline(__always) borrowing func contains(_ address: UInt64, goesUntold: Bool = false) -> Bool {
    let wanted = Self.cell(address, goesUntold)
    var place = Self.place(address)
    for _ in 0..<Self.reach {
      let value = cells[place].loadRelaxed()  // relaxed: the name it stands for is read by no code in this process
      if value == wanted { return true }
      if value == 0 { return false }
      place = (place + 1) & (Self.capacity - 1)
    }
    return false
  }

  enum Outcome { case new, known, full }

  /// Adds the address. `full`: no place near its own is free.
  borrowing func add(_ address: UInt64, goesUntold: Bool = false) -> Outcome {
    let wanted = Self.cell(address, goesUntold)
    if contains(address, goesUntold: goesUntold) { return .known }
    if contains(address, goesUntold: !goesUntold) { remove(address) }
    var place = Self.place(address)
    for _ in 0..<Self.reach {
      var value = cells[place].loadRelaxed()  // relaxed: the swap re-checks
      if value == 0 || value == Self.gone {
        // relaxed: decides which thread writes the name, and nothing more
        let swap = cells[place].casRelaxed(value, wanted)
        if swap.exchanged { return .new }
        value = swap.original
      }
      if value == wanted { return .known }
      place = (place + 1) & (Self.capacity - 1)
    }
    return .full
  }

  /// Takes the address out: what comes to lie there is another thing.
  borrowing func remove(_ address: UInt64) {
    var place = Self.place(address)
    for _ in 0..<Self.reach {
      let value = cells[place].loadRelaxed()  // relaxed: only the thread that frees the thing takes it out
      if value == 0 { return }
      if value & ~Self.goesUntold == address { cells[place].storeRelaxed(Self.gone) }  // relaxed: as above
      place = (place + 1) & (Self.capacity - 1)
    }
  }
}
