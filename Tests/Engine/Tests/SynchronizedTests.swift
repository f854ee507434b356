// SynchronizedTests.swift: the locks of objects: a record goes with the last of its users, and lets go of the object, whichever of two
// threads that leave at the same time is the last.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxLocks

@Suite(.serialized) struct SynchronizedTests {
  init() { LockTuning.rounds = 0 }

  private final class Target: Sendable {}

  @Test("Two threads inside one object's lock: one after the other, and then nobody holds the object")
  func two() throws {
    try expectSome {
      let number = Number()
      weak var object: Target?
      func use() {
        let target = Target()
        object = target
        let visit: @Sendable () -> Void = {
          let key = UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
          SyncTable.enter(key, target)
          number.add()
          _ = SyncTable.exit(key)
        }
        race(visit, visit)
      }
      use()
      try number.expect(2)
      try require(object == nil, "the object is still held")
      let used = SyncTable.stripes.reduce(0) { $0 + $1.testsOnly_counts.used }
      try require(used == 0, "\(used) records are left")
    }
  }
}
