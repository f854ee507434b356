// Crew.swift: several threads that do the same at the same time, for the rows that need several callers. They are started once
// and parked between runs; a run begins when all of them are awake.
import Glibc
import Synchronization

/// How a crew divides a run's operations.
public enum Division: Sendable {
  /// Each thread takes a few at a time until none are left: all contend to the end, however fast each is.
  case asTheyCome
  /// Each thread does an equal part in one go.
  case equalParts
}

/// Several threads that run the same operation at the same time.
public final class Crew {
  /// How many operations a thread takes at a time where they come, unless it is told otherwise.
  public static let handful = 64

  private let shared: CrewRun
  private let threads: [pthread_t]

  /// Starts the threads. Each calls `body` with its number and how many operations to run.
  ///
  /// - Parameter handful: how many operations a thread takes at a time where they come; the more, the less the taking costs.
  public init(
    threads count: Int, division: Division = .asTheyCome, placement: Placement = .spread, handful: Int = Crew.handful,
    body: @escaping @Sendable (_ member: Int, _ share: Int) -> Void
  ) {
    let shared = CrewRun(members: count, division: division, handful: handful)
    let processors = placement == .spread ? usableProcessors() : []
    self.shared = shared
    threads = (0..<count).map { member in
      startThread {
        nameThread("crew \(member + 1)")
        stayOnProcessor(member, of: processors)
        while shared.begin(member) {
          shared.work { body(member, $0) }
          shared.end()
        }
      }
    }
  }

  deinit {
    shared.dismiss()
    for thread in threads { pthread_join(thread, nil) }
  }

  /// Runs `count` operations in all; returns the nanoseconds from when the last thread was awake until the last had finished.
  /// Operations that come one by one are broken off after a second, and the time is extrapolated: a lock that falls into a slow
  /// gait must not hold up the bench for minutes.
  public func run(_ count: Int) -> Double { shared.perform(count) }
}

/// One run after another of a crew: what captain and members share.
private final class CrewRun: Sendable {
  private let division: Division
  private let handful: Int
  private let starts: [KernelSemaphore]
  private let finished = KernelSemaphore()
  private let arrived = Atomic<Int>(0)
  private let count = Atomic<Int>(0)
  private let left = Atomic<Int>(0)
  private let isDismissed = Atomic<Bool>(false)
  private let beginning = Stamp()

  init(members: Int, division: Division, handful: Int) {
    self.division = division
    self.handful = handful
    starts = (0..<members).map { _ in KernelSemaphore() }
  }

  // The captain's side. relaxed: the semaphores order what the captain stores before what the members load, and back.

  func perform(_ operations: Int) -> Double {
    arrived.store(0, ordering: .relaxed)
    count.store(operations, ordering: .relaxed)
    left.store(operations, ordering: .relaxed)
    for start in starts { start.signal() }
    let isOnTime = finished.wait(atMostMilliseconds: Self.patienceMilliseconds)
    let dropped = isOnTime || division == .equalParts ? 0 : max(0, left.exchange(0, ordering: .relaxed))
    for _ in isOnTime ? 1..<starts.count : 0..<starts.count { finished.wait() }
    let spent = monotonicNanoseconds() - beginning.nanoseconds
    return spent * Double(operations) / Double(max(1, operations - dropped))
  }

  private static let patienceMilliseconds = 1_000

  func dismiss() {
    isDismissed.store(true, ordering: .relaxed)
    for start in starts { start.signal() }
  }

  // A member's side.

  /// Sleeps until the next run, then until all members are awake; false when there will be none.
  func begin(_ member: Int) -> Bool {
    starts[member].wait()
    guard !isDismissed.load(ordering: .relaxed) else { return false }
    if arrived.add(1, ordering: .relaxed).newValue == starts.count { beginning.mark() }
    while arrived.load(ordering: .relaxed) < starts.count { sched_yield() }
    return true
  }

  func work(_ body: (_ share: Int) -> Void) {
    switch division {
    case .equalParts: body(count.load(ordering: .relaxed) / starts.count)
    case .asTheyCome:
      while true {
        let before = left.subtract(handful, ordering: .relaxed).oldValue
        guard before > 0 else { return }
        body(min(handful, before))
      }
    }
  }

  func end() { finished.signal() }
}
