// OperationQueueState.swift: how many operations a queue may start now, and how many threads to ask for. Pure: no lock, no lists.
//
//   ready      operations in the ready lists          running   operations started by the queue and not finished
//   asked      runners submitted that have not come   following[i]   operations added between barrier i and the next
//   preceding  operations added before the first barrier that is left
//  INV-1  running > 0 while a barrier runs ⇒ running == 1: `preceding` is 0 then, and what follows is held
//  INV-2  something may start and no runner has been asked for ⇒ a runner is just checking: `runnersToAsk` is asked
//         after every step

struct OperationQueueState: Equatable {
  /// The most that may run at once; no limit: Int.max.
  var limit = Int.max
  var isSuspended = false
  private(set) var ready = 0
  private(set) var running = 0
  private(set) var asked = 0
  private(set) var preceding = 0
  private var hasUrgent = false
  /// One entry for each barrier that is left.
  private(set) var following: [Int] = []
  private var firstFollowing = 0
  /// How many barriers have run.
  private(set) var epoch: UInt32 = 0
  /// Whether a runner goes on with the next operation when one is over; else each runs in an item of its own, in the order of the
  /// underlying queue's other items.
  let isBatching: Bool

  init(limit: Int = .max, isSuspended: Bool = false, isBatching: Bool = true) {
    self.limit = limit
    self.isSuspended = isSuspended
    self.isBatching = isBatching
  }

  var barriers: Int { following.count - firstFollowing }
  /// The epoch of what is added now.
  var lastEpoch: UInt32 { epoch &+ UInt32(barriers) }
  /// How many operations there are, barriers not counted.
  private(set) var count = 0
  var isEmpty: Bool { preceding == 0 && barriers == 0 }
  /// How many operations may be started now.
  var mayStart: Int { isSuspended ? 0 : min(ready, max(0, limit - running)) }

  // MARK: steps

  /// An operation is added; its epoch.
  mutating func add() -> UInt32 {
    count += 1
    if barriers == 0 { preceding += 1 } else { following[following.count - 1] += 1 }
    return lastEpoch
  }

  /// A barrier is added: behind everything. Its epoch is that of what it waits for.
  mutating func addBarrier() -> UInt32 {
    defer { following.append(0) }
    return lastEpoch
  }

  /// Whether operations of this epoch may be listed, or are held behind a barrier.
  func isCurrent(_ epoch: UInt32) -> Bool { epoch == self.epoch }
  /// Whether the first barrier has nothing before it any more.
  var barrierIsDue: Bool { barriers > 0 && preceding == 0 }

  /// An operation is listed; `isUrgent`: a runner is to come for it although another was asked for.
  mutating func listed(isUrgent: Bool = false) {
    ready += 1
    if isUrgent { hasUrgent = true }
  }
  mutating func unlisted() { ready -= 1 }

  /// A runner comes for one: whether there is one to start.
  mutating func start() -> Bool {
    guard mayStart > 0 else { return false }
    started()
    return true
  }
  /// One that may start was taken off the lists.
  mutating func started() {
    ready -= 1
    running += 1
  }
  /// What was started is not running after all: it was not ready any more.
  mutating func unstart() { running -= 1 }

  /// An operation has finished; `wasStarted`: by the queue.
  mutating func leave(epoch: UInt32, wasStarted: Bool) {
    count -= 1
    if wasStarted { running -= 1 }
    if epoch == self.epoch { preceding -= 1 } else { following[firstFollowing + Int(epoch &- self.epoch) - 1] -= 1 }
  }

  /// The first barrier has finished: what was added behind it comes before the next one now.
  mutating func leaveBarrier(wasStarted: Bool) {
    if wasStarted { running -= 1 }
    preceding = following[firstFollowing]
    firstFollowing += 1
    epoch &+= 1
    if firstFollowing * 2 >= following.count {  // each entry is moved once for one that is thrown away
      following.removeFirst(firstFollowing)
      firstFollowing = 0
    }
  }

  /// How many runners to submit now; they count as asked from then on.
  mutating func runnersToAsk() -> Int {
    let wanted = isBatching ? min(hasUrgent ? asked + 1 : 1, mayStart) : mayStart
    guard wanted > asked else { return 0 }
    defer { asked = wanted }
    hasUrgent = false
    return wanted - asked
  }
  mutating func runnerCame() { asked -= 1 }

  /// A runner that finds nothing to start stays for a moment, as one that was asked for and is to come again; false if it is to go:
  /// another was asked for.
  mutating func runnerStays() -> Bool {
    guard isBatching, asked == 0, limit > 0, !isSuspended else { return false }
    asked = 1
    return true
  }
}
