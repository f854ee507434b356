// SynchronizedTests.swift: one lock per object: recursion, identity, records that come and go, what is refused.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

private class Thing {}
private final class Special: Thing {}

/// How many records of the whole table have users, and how many are kept without.
private var records: (used: Int, spare: Int) {
  SyncTable.stripes.reduce((0, 0)) { sum, stripe in
    let counts = stripe.testsOnly_counts
    return (sum.0 + counts.used, sum.1 + counts.spare)
  }
}

/// An object that threads of a test share.
// SAFETY of @unchecked: only its identity is used.
private final class Target: @unchecked Sendable {}

@Suite("objc_sync_enter and synchronized") struct SynchronizedTests {
  @Test("Entering and leaving, by hand and around a body; once more by the same thread")
  func basics() {
    let object = Target()
    #expect(objc_sync_enter(object) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_enter(object) == OBJC_SYNC_SUCCESS)
    #expect(synchronized(object) { synchronized(object) { 5 } } == 5)
    onAnotherThread { #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR) }
    #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    #expect(OBJC_SYNC_SUCCESS == 0 && OBJC_SYNC_NOT_OWNING_THREAD_ERROR == -1)
  }

  @Test("Nil has no lock, and leaving what was never entered is an error that changes nothing")
  func nothing() {
    let none: Thing? = nil
    #expect(objc_sync_enter(nil) == OBJC_SYNC_SUCCESS && objc_sync_exit(nil) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_enter(none) == OBJC_SYNC_SUCCESS && objc_sync_exit(none) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(Target()) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
  }

  @Test("An object is itself under every type; a class is an object too")
  func identity() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let object = Special()
      plainly {
        objc_sync_enter(object)
        #expect(records.used == 1)
        objc_sync_enter(object as Any)
        objc_sync_enter(object as Thing?)
        synchronized(object) { #expect(records.used == 1) }
        for _ in 0..<3 { objc_sync_exit(object as AnyObject) }
        #expect(records.used == 0)
        objc_sync_enter(Thing.self)
        objc_sync_enter(Special.self)
        #expect(records.used == 2)
        #expect(objc_sync_exit(Thing.self) == 0 && objc_sync_exit(Special.self) == 0)
        #expect(records.used == 0)
      }
    }
  }

  @Test("An error leaves with its type, and so does the lock")
  func releasedOnThrow() {
    struct Wrong: Error, Equatable {}
    struct Token: ~Copyable { let number: Int }
    let object = Target()
    #expect(throws: Wrong()) { try synchronized(object) { () throws(Wrong) in throw Wrong() } }
    #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    #expect(synchronized(object) { Token(number: 4) }.number == 4)
  }

  @Test("Different objects do not wait for each other, whichever stripe they share")
  func independence() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      // More than there are stripes: some share one.
      let objects = (0..<4 * SyncTable.stripeCount).map { _ in Target() }
      plainly { for object in objects { objc_sync_enter(object) } }
      #expect(records.used == objects.count)
      let others = (0..<100).map { _ in Target() }
      onAnotherThread { for object in others { synchronized(object) {} } }
      plainly { for object in objects.shuffled() { #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS) } }
      #expect(records.used == 0 && records.spare <= SyncTable.stripeCount * SyncStripe.mostSpare)
    }
  }

  @Test("An object lives while somebody is inside, and its record goes with the last")
  func lifetime() async {
    await #expect(processExitsWith: .success) {
      weak var object: Target?
      do {
        let made = Target()
        object = made
        plainly { _ = objc_sync_enter(made) }
      }
      #expect(object != nil && records.used == 1)
      plainly { _ = objc_sync_exit(object) }
      #expect(object == nil && records.used == 0)
    }
  }

  @Test("An object whose end enters another's lock may be let go of by leaving")
  func deinitInside() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      final class Chain {
        let next: Target
        init(_ next: Target) { self.next = next }
        deinit {
          synchronized(self) {}
          synchronized(next) {}
        }
      }
      let next = Target()
      for _ in 0..<100 {
        let kept: UInt
        do {
          let chain = Chain(next)
          kept = UInt(bitPattern: Unmanaged.passUnretained(chain).toOpaque())
          plainly { _ = objc_sync_enter(chain) }
        }
        let chain = Unmanaged<Chain>.fromOpaque(UnsafeRawPointer(bitPattern: kept)!).takeUnretainedValue()
        plainly { _ = objc_sync_exit(chain) }
      }
      #expect(records.used == 0)
    }
  }

  @Test("Eight threads on few objects are never inside together, lose no addition, and leave no record")
  func exclusion() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let objects = (0..<3).map { _ in Target() }
      let guarded = (0..<3).map { _ in Guarded() }
      onThreads(8) { thread in
        for round in 1...9_000 {
          let index = (thread + round) % 3
          synchronized(objects[index]) {
            synchronized(objects[index]) { guarded[index].visit(round) }
          }
        }
      }
      #expect(guarded.reduce(0) { $0 + $1.sum } == 72_000)
      #expect(guarded.allSatisfy { $0.mostInside == 1 })
      #expect(records.used == 0)
    }
  }

  @Test("Objects that come and go at the same addresses never meet another's lock")
  func addressReuse() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      onThreads(4) { _ in
        for round in 1...5_000 {
          let object = Target()
          let ran = synchronized(object) { round }
          #expect(ran == round)
        }
      }
      #expect(records.used == 0)
    }
  }

  @Test("A lock that nobody competes for neither sleeps nor keeps memory, on few objects and on many")
  func uncontendedCost() async {
    await #expect(processExitsWith: .success) {
      let objects = (0..<1_000).map { _ in Target() }
      for object in objects { synchronized(object) {} }
      _ = allocatedBytes()
      let (switches, bytes) = (voluntarySwitches, allocatedBytes())
      for _ in 0..<20 {
        for object in objects { synchronized(object) {} }
      }
      #expect(voluntarySwitches == switches && allocatedBytes() - bytes < 10_000)
    }
  }

  // MARK: what stops the program

  @Test("Locking a value, which has no identity, stops the program")
  func values() async {
    let number = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly { _ = objc_sync_enter([1, 2, 3]) }
    }
    expectStop(
      number, saying: "objc_sync_enter(_:) was given a value of the type Array<Int>, which is no object",
      "give it a class instance that all threads share")
    let boxed = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      struct Plain {}
      synchronized(Plain() as AnyObject) {}
    }
    expectStop(boxed, saying: "synchronized(_:_:) was given a value")
    let entered = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      struct Plain {}
      plainly { _ = objc_sync_enter(Plain() as AnyObject) }
    }
    expectStop(entered, saying: "objc_sync_enter(_:) was given a value")
    let left = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly { _ = objc_sync_exit(5) }
    }
    expectStop(left, saying: "objc_sync_exit(_:) was given a value of the type Int")
  }

  @Test("Two objects entered in two orders are found when the threads meet")
  func crossed() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let (objects, inside) = ([Target(), Target()], Count())
      onThreads(2) { index in
        synchronized(objects[index]) {
          inside.add()
          while inside.value < 2 { sched_yield() }
          synchronized(objects[1 - index]) {}
        }
      }
    }
    expectStop(result, saying: "deadlock")
  }

  @Test("A record stays until whoever gives its lock back has done so, though another has entered and left meanwhile")
  func recordOutlastsUnlock() {
    let (stripe, object) = (SyncStripe(), Target())
    let key = UInt(bitPattern: ObjectIdentifier(object))
    let core = stripe.join(key, object)
    core.pointee.lock(.synchronized, object: key)
    #expect(stripe.join(key, object) == core)
    for _ in 0..<2 {
      // The second time round this is the other user: the first has not left yet, as it still checks the lock.
      guard case .others(core) = stripe.leave(key) else {
        Issue.record("the record is gone")
        return
      }
      _ = core.pointee.unlock(.synchronized, object: key)
      core.pointee.lock(.synchronized, object: key)
    }
    _ = core.pointee.unlock(.synchronized, object: key)
    _ = stripe.leaveFree(key)
    #expect(stripe.testsOnly_counts == (1, 0))
    _ = stripe.leaveFree(key)
    #expect(stripe.testsOnly_counts == (0, 1))
  }
}
