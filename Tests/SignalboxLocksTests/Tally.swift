// Tally.swift: a number that threads change, for tests of conditions. Count, which orders what it counts, is in Support.swift.
import SignalboxSystem

/// A number that threads change; orders nothing that is under test.
final class Tally: Sendable {
  private let word = Atomic64(0)
  var value: Int { Int(word.loadRelaxed()) }
  func add(_ amount: Int = 1) { _ = word.addRelaxed(UInt64(bitPattern: Int64(amount))) }
}
