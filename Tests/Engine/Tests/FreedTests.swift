// FreedTests.swift: operations on words in memory that was given back.
import SignalboxExplore
import SignalboxSystem
import Testing

/// An object that is given back by whoever takes the last reference away, which the words count.
private struct Counted {
  let memory: UnsafeMutablePointer<Atomic64>
  init() {
    memory = .allocate(capacity: 1)
    memory.initialize(to: Atomic64(2))
  }
}

extension Counted: @unchecked Sendable {}  // SAFETY: what lies there is an atomic word

@Suite(.serialized) struct FreedTests {
  @Test("An object that is given back with its last reference is touched by nobody")
  func counted() throws {
    try expectAll {
      let object = Counted()
      let leave: @Sendable () -> Void = { if object.memory.pointee.subtractSeqCst(1) == 1 { object.memory.deallocate() } }
      race(leave, leave)
    }
  }

  @Test("An object that is touched after its reference is gone is found")
  func touchedLate() {
    expectFailure(.freed) {
      let object = Counted()
      let leave: @Sendable () -> Void = {
        if object.memory.pointee.subtractSeqCst(1) == 1 {
          object.memory.deallocate()
        } else {
          _ = object.memory.pointee.loadRelaxed()
        }
      }
      race(leave, leave)
    }
  }

  @Test("A Swift object's words are found as well")
  func touchedObject() {
    expectFailure(.freed) {
      let object = Unmanaged.passRetained(SharedWord())
      let address = Lent(object).use { $0.value.address }
      race(
        { _ = UnsafePointer<Atomic32>.at(address).pointee.loadRelaxed() },
        {
          _ = UnsafePointer<Atomic32>.at(address).pointee.loadRelaxed()
          object.release()
        })
    }
  }
}
