// Notes.swift: what a play keeps account with: counts, what was found wrong, how many objects are alive.
import SignalboxSystem

/// A count that orders nothing, so that the thread sanitizer sees only the order that the engine makes.
final class Tally: Sendable {
  private let word = Atomic64(0)
  // relaxed: see above; what is read through a tally is nothing but the tally.
  var value: Int { Int(truncatingIfNeeded: word.loadRelaxed()) }
  /// The value before.
  @discardableResult func add(_ change: Int = 1) -> Int {
    Int(truncatingIfNeeded: word.addRelaxed(UInt64(bitPattern: Int64(change))))
  }
  func set(_ value: Int) { word.storeRelaxed(UInt64(bitPattern: Int64(value))) }
  /// Sets bits.
  func unite(_ bits: UInt) { _ = word.orSeqCst(UInt64(bits)) }
}

/// What publishes plain variables of handlers to the thread that takes stock.
final class Flag: Sendable {
  private let word = Atomic64(0)
  // release: publishes what the handlers have written; pairs with the acquire below; without it stock is taken of half of it.
  func raise() { word.storeRelease(1) }
  var isUp: Bool { word.loadAcquire() != 0 }
}

/// What was found wrong.
final class Faults: @unchecked Sendable {
  // SAFETY of @unchecked: `lines` is guarded by `word`, which is taken only when something is wrong.
  private let word = Atomic64(0)
  private var lines: [String] = []

  func add(_ line: String) { withLines { if $0.count < 50 { $0.append(line) } } }
  func check(_ fact: Bool, _ line: @autoclosure () -> String) { if !fact { add(line()) } }
  var all: [String] { withLines { $0 } }

  private func withLines<R>(_ body: (inout [String]) -> R) -> R {
    while !word.casAcquire(0, 1).exchanged {}
    defer { word.storeRelease(0) }
    return body(&lines)
  }
}

/// An object that every handler of a play holds, so that one that is never freed shows.
final class Token: Sendable {
  private let living: Tally
  init(_ living: Tally) {
    self.living = living
    living.add()
  }
  deinit { living.add(-1) }
}

/// The byte at a position of a stream, different for each stream.
func patternByte(_ position: Int, _ salt: Int) -> UInt8 {
  UInt8(truncatingIfNeeded: position &* 31 &+ position >> 8 &+ salt &* 7)
}
func pattern(_ range: Range<Int>, _ salt: Int) -> [UInt8] { range.map { patternByte($0, salt) } }
