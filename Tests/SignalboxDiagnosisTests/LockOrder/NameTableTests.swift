// NameTableTests.swift: what things are called, as readers from outside find it, while names come, change and go. Names
// in made-up memory are NameReaderTests.swift (SignalboxViewTests).
import SignalboxView
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Names as readers from outside find them") struct NameTableTests {
  private let reader = NameReader(.own)
  private func name(_ address: UInt) -> String? { reader.name(of: UInt64(address)) }

  @Test("Many names, each by its word's address and its object's; others, and none any more")
  func many() {
    // No memory is touched at these addresses.
    let addresses = (0..<2_000).map { UInt(0x5A5A_0000_0000) + UInt($0) * 48 }
    for (number, address) in addresses.enumerated() {
      LockNames.name(address, "lock \(number), called at length", object: number % 2 == 0 ? address + 16 : 0)
    }
    for (number, address) in addresses.enumerated() {
      #expect(name(address) == "lock \(number), called at length" && name(address) == LockNames.name(of: address))
      #expect(name(address + 16) == (number % 2 == 0 ? name(address) : nil) && name(address + 32) == nil)
    }
    for address in addresses { LockNames.name(address, "short", object: 0) }
    #expect(addresses.allSatisfy { name($0) == "short" })
    for address in addresses { LockNames.forget(address) }
    #expect(addresses.allSatisfy { name($0) == nil && name($0) == LockNames.name(of: $0) })
  }

  @Test("A name that changes without a pause is one of the two, or none for a moment")
  func torn() async {
    let address: UInt = 0x5A5B_0000_0000,
      names = ["a name that is longer than two words", "another one that is as long as that is"]
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<20_000 {
          LockNames.name(address, String(decoding: names[number % 2].utf8, as: UTF8.self))
          if number % 3 == 0 { LockNames.unname(address) }
        }
      }
      group.addTask {
        for _ in 0..<2_000 { #expect(name(address).map { names.contains($0) } ?? true) }
      }
    }
    LockNames.forget(address)
  }
}
