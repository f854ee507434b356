// PoolCount.swift: what the pool's workers do over time: how many run at once, and when all of them wait although items do as well.
import SignalboxSystem

struct PoolCount {
  /// What a worker is doing.
  enum State: Int, CaseIterable {
    /// An item, or something between two.
    case running
    /// It sleeps in an item, for a lock, a queue, a group, …
    case waiting
    /// It has nothing to do.
    case parked
    /// It has not begun, or has ended.
    case away
  }

  /// A time in which items waited and every worker did.
  struct Stall {
    let begin, took: ReadNumber
    let workers: Int
    let cause: Cause?
  }

  /// A wait in which a worker was: of all that were in one, the commonest by the item's function.
  struct Cause {
    let item: TimelineItem?
    let object: ReadNumber
    let since: ReadNumber
  }

  /// Workers of one pool, as far as the recording says whose they are.
  struct Bound {
    /// How many there may be, and how many there were at most.
    var limit: ReadNumber = 0
    var most = 0
    /// How often there was no further one to be had, for how long in all, and the longest time.
    var times = 0
    var total: ReadNumber = 0
    var longest: (took: ReadNumber, at: ReadNumber)?
    fileprivate var count = 0
    fileprivate var since: ReadNumber?
  }

  /// Stalls that are shorter are the pool's own reaction.
  static let leastStall: ReadNumber = 10_000_000

  private var states: [Int: State] = [:]
  private var counts = State.allCases.map { _ in 0 }
  private var since: ReadNumber = 0
  private var pending = 0
  private var stallBegan: (time: ReadNumber, workers: Int, cause: Cause?)?
  /// A time has begun that may become a stall: what the workers wait for is asked for.
  var wantsCause: Bool { stallBegan != nil && stallBegan?.cause == nil }
  mutating func note(_ causes: [Cause]) {
    func isLike(_ one: Cause, _ other: Cause) -> Bool {
      one.item?.outer == other.item?.outer && one.item?.inner == other.item?.inner
    }
    let counts = causes.map { cause in causes.filter { isLike($0, cause) }.count }
    stallBegan?.cause = counts.max().flatMap { counts.firstIndex(of: $0) }.map { causes[$0] }
  }

  /// How long this many workers ran at once.
  private(set) var timeByRunning: [Int: ReadNumber] = [:]
  /// The most workers that there were at a time, and since when.
  private(set) var most = 0, mostAt: ReadNumber = 0
  private(set) var stalls: [Stall] = []

  private(set) var bounds: [ReadNumber: Bound] = [:]
  private var poolOf: [Int: ReadNumber] = [:]

  private func count(_ state: State) -> Int { counts[state.rawValue] }
  private var workers: Int { count(.running) + count(.waiting) + count(.parked) }

  /// The worker does something else from now on.
  mutating func set(_ worker: Int, _ state: State, at time: ReadNumber) {
    let old = states[worker] ?? .away
    guard old != state else { return }
    pass(to: time)
    counts[old.rawValue] -= 1
    counts[state.rawValue] += 1
    states[worker] = state
    if state == .away, let pool = poolOf.removeValue(forKey: worker) { change(pool, by: -1, at: time) }
    if workers > most { (most, mostAt) = (workers, time) }
    checkStall(time)
  }

  /// This many more items wait.
  mutating func pend(_ change: Int, at time: ReadNumber) {
    pending += change
    checkStall(time)
  }

  /// The worker is one of that pool, which may have this many workers.
  mutating func works(_ worker: Int, in pool: ReadNumber, of limit: ReadNumber, at time: ReadNumber) {
    bounds[pool, default: Bound()].limit = limit
    guard poolOf[worker] != pool else { return }
    if let other = poolOf[worker] { change(other, by: -1, at: time) }
    poolOf[worker] = pool
    change(pool, by: 1, at: time)
  }

  private mutating func change(_ pool: ReadNumber, by change: Int, at time: ReadNumber) {
    var bound = bounds[pool, default: Bound()]
    bound.count += change
    bound.most = max(bound.most, bound.count)
    let isFull = ReadNumber(count: bound.count) >= bound.limit
    if isFull, bound.since == nil { bound.since = time }
    if !isFull { Self.end(&bound, at: time) }
    bounds[pool] = bound
  }

  private static func end(_ bound: inout Bound, at time: ReadNumber) {
    guard let since = bound.since else { return }
    let took = time - min(time, since)
    bound.since = nil
    bound.times += 1
    bound.total += took
    if took >= bound.longest?.took ?? 0 { bound.longest = (took, since) }
  }

  /// The recording ends.
  mutating func end(at time: ReadNumber) {
    for pool in bounds.keys { Self.end(&bounds[pool, default: Bound()], at: time) }
    pass(to: time)
    endStall(time)
  }

  private mutating func pass(to time: ReadNumber) {
    if workers > 0, time > since { timeByRunning[count(.running), default: 0] += time - since }
    since = max(since, time)
  }

  private mutating func checkStall(_ time: ReadNumber) {
    let isStalled = pending > 0 && count(.waiting) > 0 && count(.running) == 0 && count(.parked) == 0
    if isStalled, stallBegan == nil { stallBegan = (time, workers, nil) }
    if !isStalled { endStall(time) }
  }

  private mutating func endStall(_ time: ReadNumber) {
    guard let began = stallBegan else { return }
    stallBegan = nil
    let took = time - began.time
    if took >= Self.leastStall {
      stalls.append(Stall(begin: began.time, took: took, workers: began.workers, cause: began.cause))
    }
  }
}
