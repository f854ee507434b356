// LedgerTests.swift: the ledger on whichever library the platform has.
import Ledger
import Testing

@Suite("The ledger") struct LedgerTests {
  @Test("Amounts that are added from many threads are all there")
  func amountsAreAllThere() {
    let ledger = Ledger()
    ledger.add(Array(1...1000), to: "savings")
    DispatchQueue.concurrentPerform(iterations: 100) { ledger.add($0, to: "cash") }
    #expect(ledger.balance(of: "savings") == 500_500)
    #expect(ledger.balance(of: "cash") == 4950)
    #expect(ledger.balance(of: "nobody's") == 0)
  }

  /// So that a build on the wrong library does not pass.
  @Test("The queues are those of the platform's library")
  func theLibraryIsThePlatforms() {
    let module = String(reflecting: DispatchQueue.self).prefix { $0 != "." }
    #if canImport(SignalboxFoundation)
    #expect(module.hasPrefix("Signalbox"))
    #else
    #expect(!module.hasPrefix("Signalbox"))
    #endif
  }
}
