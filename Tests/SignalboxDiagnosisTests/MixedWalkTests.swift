// MixedWalkTests.swift: cycles through the C library's mutexes are found, by whatever thread the scan begins, and nothing else is
// taken for one. In child processes: the deadlocks are real.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// The cycles that a walk from the thread's wait finds; walks again while there is none. A thread that has left a record may not sleep yet,
/// and one that waits for a Signalbox lock wakes now and then.
private func cycles(from thread: Int32) -> [MixedCycle] {
  var found: [MixedCycle] = []
  _ = eventually {
    found = MixedWalk.cycles(from: [thread])
    return !found.isEmpty
  }
  return found
}

@Suite("Cycles through the C library's mutexes are found") struct MixedWalkTests {
  @Test("Two mutexes taken in opposite order are found as a cycle")
  func twoMutexes() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (first, second, gate) = (ForeignLock(), ForeignLock(), Gate())
      let one = Actor(holds: { first.lock() }, after: gate) { second.lock() }
      let two = Actor(holds: { second.lock() }, after: gate) { first.lock() }
      gate.open()
      #expect(one.isInMutex() && two.isInMutex())
      let found = cycles(from: one.id)
      #expect(found.count == 1 && found.first?.isMixed == true)
      let parts = found.first?.participants ?? []
      #expect(parts.map(\.thread) == [one.id, two.id] && parts.map(\.next) == [two.id, one.id])
      #expect(parts.map(\.object) == [second.address, first.address])
      #expect(parts.allSatisfy { $0.kind == .foreignMutex && $0.sequence == nil })
      #expect(cycles(from: two.id).first?.identity == found.first?.identity)
      #expect(eventually { MixedWalk.cycles(from: [one.id, two.id]).count == 1 })
      exit(0)
    }
  }

  @Test("A lock of ours and a mutex, found also from a thread that merely waits behind them")
  func lockAndMutex() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (ours, theirs, gate) = (OwnLock(), ForeignLock(), Gate())
      let one = Actor(holds: { ours.lock() }, after: gate) { theirs.lock() }
      let two = Actor(holds: { theirs.lock() }, after: gate) { ours.lock() }
      gate.open()
      #expect(one.isInMutex() && two.isRecorded())
      let behind = [Actor { ours.lock() }, Actor { theirs.lock() }]
      #expect(behind[0].isRecorded() && behind[1].isInMutex())
      let all = ([one, two] + behind).map { cycles(from: $0.id) }
      #expect(all.allSatisfy { $0.count == 1 && $0.first?.identity == all[0].first?.identity })
      let parts = all[0].first?.participants ?? []
      #expect(parts.map(\.kind) == [.foreignMutex, .unfairLock])
      #expect(parts.map(\.object) == [theirs.address, ours.core.address])
      #expect(parts.map { $0.sequence == nil } == [true, false])
      #expect(parts.allSatisfy { $0.owner != 0 } && parts.last.map { $0.since > 0 } == true)
      exit(0)
    }
  }

  @Test("A ring of five locks, ours and the C library's in turn, is found as a cycle")
  func ring() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (ours, theirs, gate) = ((0..<5).map { _ in OwnLock() }, (0..<5).map { _ in ForeignLock() }, Gate())
      let actors = (0..<5).map { index in
        let next = (index + 1) % 5
        return Actor(
          holds: { index % 2 == 0 ? ours[index].lock() : theirs[index].lock() }, after: gate,
          sleeps: { next % 2 == 0 ? ours[next].lock() : theirs[next].lock() })
      }
      gate.open()
      #expect(actors.allSatisfy { $0.isAsleep() || $0.isRecorded() })
      #expect(eventually { MixedWalk.cycles(from: [actors[2].id]).first?.participants.count == 5 })
      exit(0)
    }
  }

  @Test("A thread inside of an object that sleeps in a mutex keeps out who wants the object alone")
  func holderByFrame() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (theirs, gate, object) = (ForeignLock(), Gate(), UInt(0x1_0000))
      let reader = Actor(after: gate) {
        _ = ThreadSlot.owner()
        let thread = ThreadSlot.current
        thread.inside(object, .syncShared) { thread.inside(0x2_0000, .syncAlone) { theirs.lock() } }
      }
      let writer = Actor(holds: { theirs.lock() }) {
        gate.open()
        WaitRecord.publish(.barrierSync, object: object, isTimed: false, OwnerWords(OwnerWord(object, .parallelLoop)))
        Gate().pass()
      }
      let bystander = Actor(holds: { _ = ThreadSlot.owner() }) {}
      #expect(reader.isInMutex() && writer.isRecorded() && bystander.isAsleep())
      let parts = cycles(from: writer.id).first?.participants ?? []
      #expect(parts.map(\.thread) == [writer.id, reader.id])
      exit(0)
    }
  }

  @Test("Timed waits, conditions, semaphores, and holders that run or have ended make no cycle")
  func noCycles() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      #expect(OpenChains().isClearOfCycles())
      exit(0)
    }
  }
}

/// Chains that look like cycles but for one link.
struct OpenChains {
  private var threads: [Int32] = []

  init() {
    // Two mutexes in opposite order, one of them with a limit.
    do {
      let (first, second, gate) = (ForeignLock(), ForeignLock(), Gate())
      add(Actor(holds: { first.lock() }, after: gate) { second.lock(seconds: 3600) })
      add(Actor(holds: { second.lock() }, after: gate) { first.lock() })
      gate.open()
    }
    // The same with a wait of ours that has one.
    do {
      let (ours, theirs, gate) = (OwnLock(), ForeignLock(), Gate())
      add(Actor(holds: { ours.lock() }, after: gate) { theirs.lock() })
      add(Actor(holds: { theirs.lock() }, after: gate) { _ = ours.core.lock(.unfairLock, until: .after(.seconds(3600))) })
      gate.open()
    }
    // A lock of ours whose holder has nothing to do with us any more.
    do {
      let ours = OwnLock()
      add(Actor(holds: { ours.lock() }) {})
      add(Actor { ours.lock() })
    }
    // A holder in a condition of another mutex, in a semaphore, and one that runs.
    addHolder {
      let other = ForeignLock()
      other.lock()
      other.waitInCondition()
    }
    addHolder {
      let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
      sem_init(semaphore, 0, 0)
      while true { sem_wait(semaphore) }
    }
    addHolder { while true { sched_yield() } }
    addEnded()
  }

  /// Who holds a mutex and does something else forever, and one who waits for that mutex.
  private mutating func addHolder(_ sleeps: @escaping @Sendable () -> Void) {
    let mutex = ForeignLock()
    add(Actor(holds: { mutex.lock() }, sleeps: sleeps))
    add(Actor { mutex.lock() })
  }

  /// A holder that has ended, and one who waits for it forever.
  private mutating func addEnded() {
    let (mutex, taken) = (ForeignLock(), Gate())
    let id = Atomic64(0)
    withUnsafePointer(to: id) { id in
      // SAFETY: this frame waits for the thread's end.
      let address = UInt(bitPattern: id)
      try? Threads.spawn {
        mutex.lock()
        UnsafePointer<Atomic64>(bitPattern: address)!.pointee.storeRelease(UInt64(ThreadSlot.kernelID()))
        taken.open()
      }
      taken.pass()
      let ended = Int32(id.pointee.loadAcquire())
      precondition(eventually { !KernelThread.isAlive(ended) })
    }
    add(Actor { mutex.lock() })
  }

  private mutating func add(_ actor: Actor) { threads.append(actor.id) }

  /// Many scans, as the threads fall asleep and afterwards.
  func isClearOfCycles() -> Bool {
    (0..<200).allSatisfy { _ in
      sleepPlainly(milliseconds: 1)  // between two scans
      return MixedWalk.cycles(from: threads).isEmpty
    }
  }
}
