// RandomWalkTests.swift: a storm of random nested holds in one order, with tries and limits against it: nothing is reported.
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Random operations on locks and queues that can never deadlock: blocking waits go up in rank only.
private final class RandomStorm: @unchecked Sendable {
  // SAFETY of @unchecked: each of `sums` is touched only while the lock of the same number is held.
  let things: [any Thing]
  let locks: [LockThing]
  let sums = UnsafeMutablePointer<UInt64>.allocate(capacity: 4)
  let operations = Count()

  init() {
    locks = (0..<4).map { _ in LockThing() }
    things = locks.flatMap {
      [$0, QueueThing(), TargetThing(), BarrierThing(), ReaderThing(), AsyncAndWaitThing()] as [any Thing]
    }
    sums.initialize(repeating: 0, count: 4)
  }

  func run(seed: UInt64, count: UInt64) {
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    for _ in 0..<count / 4 {
      let low = next(things.count), high = low + next(things.count - low)
      switch next(8) {
      case 0...3: if low < high { things[low].hold { [self] in things[high].want() } }
      case 4: things[low].want()
      case 5: against(locks[next(locks.count)], locks[next(locks.count)])
      case 6: add(next(locks.count))
      default: things[high].want()
      }
      operations.add(4)
    }
  }

  /// Any order: the second only if it is free, or with a limit.
  private func against(_ first: LockThing, _ second: LockThing) {
    guard first !== second else { return }
    first.core.lock(.mutex)
    if second.core.tryLock(.mutex) || second.core.lock(.mutex, until: .after(.microseconds(50))) {
      _ = second.core.unlock(.mutex)
    }
    _ = first.core.unlock(.mutex)
  }

  private func add(_ index: Int) {
    locks[index].core.lock(.mutex)
    sums[index] += 1
    _ = locks[index].core.unlock(.mutex)
  }
}

@Suite("Random nested locks in one order are never reported") struct RandomWalkTests {
  /// Ten million in Scripts/long-run (`SIGNALBOX_LONG_RUN`), a slice here.
  @Test("Random operations without a cycle are never reported", .timeLimit(.minutes(20)))
  func storm() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(1100)
      let total: UInt64 = getenv("SIGNALBOX_LONG_RUN") == nil ? 200_000 : 10_000_000
      let seed = getenv("SIGNALBOX_SEED").flatMap { UInt64(String(cString: $0)) } ?? 4
      let storm = RandomStorm()
      let bodies = (0..<8).map { index -> @Sendable () -> Void in
        { storm.run(seed: seed &+ UInt64(index) &* 77, count: total / 8) }
      }
      together(bodies)
      precondition(storm.operations.value >= total - 64)
    }
    let said = errorText(result)
    #expect(!said.contains("signalbox"), "\(said)")
  }
}
