// LockObjectTests.swift: lock classes as objects of ours: subclasses, the names that reports use, memory, dates.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxLocks
import Testing

@testable import SignalboxClasses

/// A lock that counts.
// SAFETY: `entries` is touched only while the lock is held.
private final class CountingLock: NSLock, @unchecked Sendable {
  var entries = 0
  override func lock() {
    super.lock()
    entries += 1
  }
}

@Suite("Lock classes as objects: subclasses, names, memory and dates") struct LockObjectTests {
  @Test("Subclasses are asked, by withLock too, whatever the lock is known as")
  func subclasses() {
    let lock = CountingLock()
    lock.withLock {}
    (lock as NSLock).withLock {}
    (lock as any NSLocking).withLock {}
    Self.use(lock)
    #expect(lock.entries == 4)
  }
  private static func use(_ lock: NSLock) {
    lock.lock()
    lock.unlock()
  }

  @Test("A name is known by the object's address while the object lives")
  func namesByAddress() {
    var address: UInt = 0
    do {
      let lock = NSConditionLock(condition: 1)
      address = lock.address
      #expect(LockNames.name(of: address) == nil)
      #expect(LockNames.describe(.nsConditionLock, address) == "NSConditionLock 0x\(String(address, radix: 16))")
      lock.name = "doors"
      #expect(LockNames.name(of: address) == "doors")
      #expect(LockNames.describe(.nsConditionLock, address).hasSuffix(" \"doors\""))
      withExtendedLifetime(lock) {}
    }
    #expect(LockNames.name(of: address) == nil)
  }

  @Test("Names set and asked by many threads at once stay whole")
  func namesFromThreads() {
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for round in 0..<500 {
        if (number + round) % 2 == 0 { lock.name = String(repeating: "\(number)", count: 40) }
        if let name = lock.name { #expect(Set(name).count == 1 && name.count == 40) }
      }
    }
  }

  @Test("Dates become points on the wall clock that have neither passed early nor overflow")
  func dates() {
    #expect(LockDeadline(Date(timeIntervalSince1970: 1.5)) == .wall(1_500_000_000))
    #expect(LockDeadline(.distantPast) == .wall(0))
    #expect(LockDeadline(Date(timeIntervalSince1970: -0.25)) == .wall(0))
    #expect(LockDeadline(Date(timeIntervalSinceReferenceDate: .nan)) == .wall(0))
    #expect(LockDeadline(Date(timeIntervalSinceReferenceDate: -.infinity)) == .wall(0))
    #expect(LockDeadline(.distantFuture) == .never)
    #expect(LockDeadline(Date(timeIntervalSinceReferenceDate: .infinity)) == .never)
    #expect(LockDeadline(Date(timeIntervalSince1970: 16_725_225_600)) == .never)
    #expect(LockDeadline(Date(timeIntervalSince1970: 16_725_225_599)) != .never)
    #expect(LockDeadline(Date(timeIntervalSince1970: .leastNonzeroMagnitude)).hasPassed)
  }
}
