// Making.swift: an object of an IdentityMap while one thread makes it: whose it is, and how the others wait.
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// One making. The word: 0 under way, 1 under way and somebody may sleep, 2 over.
final class Making: Sendable {
  private let word = Atomic32(0)
  private let owner = ThreadSlot.owner()

  /// The making thread is through, whatever came of it.
  func finish() {
    // release M1: what the maker stored in the map is visible to those whom this ends (M2).
    if word.exchangeAcqRel(2) == 1 { word.wake(count: .max) }
  }

  /// The calling thread must not wait for itself.
  func stopIfMine<ID>(_ label: String, _ id: ID) {
    guard owner == ThreadSlot.owner() else { return }
    Misuse.stop(
      "identity map \"\(label)\": making the object of \(id) asks the map for the object of \(id), so it would wait for itself "
        + "forever; make the object without asking for it")
  }

  /// Returns when the making is over. A cycle of makings that wait for one another is reported.
  func wait() {
    guard announce() else { return }
    let address = withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    Waiting.begin(
      .once, object: address, isTimed: false, park: (address, 1), OwnerWords(OwnerWord(UInt(owner), .thread)))
    defer { WaitRecord.withdraw() }
    var inversion = InversionHook.Wait()
    inversion.isBehind(owner)
    BlockingHook.around(longWait: true) {
      // acquire M2: pairs with M1.
      while word.loadAcquire() != 2 { word.park(expected: 1) }
    }
  }

  /// Says that somebody sleeps; false if the making is over.
  private func announce() -> Bool {
    // acquire M2: pairs with M1; the word only ever grows, so anything but 0 is 1 or 2.
    let swap = word.casAcquire(0, 1)
    return swap.exchanged || swap.original == 1
  }
}
