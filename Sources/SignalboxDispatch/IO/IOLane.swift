// IOLane.swift: operations that run one after another: those of one direction of a stream; of a random-access file each
// has a lane of its own. Which lane an operation joins, and when, is IODescriptor's.
//
//   idle ──append──> scheduled ──job──> (turns) ──> idle       nothing left
//                        ^                     ├──> waiting    the descriptor is not ready; its subscription is armed
//                        │                     ├──> paused     the user is behind with reports, or writes with bytes
//                        └─── ready, resume, kick, tick ───────┘
// Every change of state is made under the lock. One job at most is submitted or running: the one that `scheduled`
// stands for.
import SignalboxLocks
import SignalboxSystem

final class IOLane: @unchecked Sendable {
  // SAFETY of @unchecked: state and operations are guarded by `lock`; the subscription is set and cleared by the job and by `end`, which
  // comes after the last operation. One thread at a time has each, so that the exclusivity check finds nothing: hence unchecked.

  private enum State { case idle, scheduled, waiting, paused }

  private let descriptor: IODescriptor
  private let direction: IOProgress.Direction
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var state = State.idle
  @exclusivity(unchecked) private var operations = Fifo<IOOperation>()
  /// An event will come, or is on its way.
  @exclusivity(unchecked) private var isArmed = false
  /// A channel was stopped: some that wait their turn may have to go.
  @exclusivity(unchecked) private var hasStopped = false
  @exclusivity(unchecked) private var watch: IOReadiness?

  init(_ descriptor: IODescriptor, _ direction: IOProgress.Direction) {
    self.descriptor = descriptor
    self.direction = direction
  }

  // MARK: what wakes it

  /// One more operation, behind the others; whether the lane was idle: then `begin` must follow. Called under the descriptor's lock.
  func append(_ operation: IOOperation) -> Bool {
    lock.withLock {
      operations.append(operation)
      return scheduleAssumingLocked(from: .idle)
    }
  }

  /// Starts the job. The calling thread stands in for it for a turn if `startsHere`: most writes are over then.
  func begin(_ operation: IOOperation, startsHere: Bool) {
    if startsHere { run(turns: 1) } else { submitJob(operation.channel) }
  }

  /// The user has caught up, or writes have.
  func resume() { wake { $0 == .paused } }

  /// A channel was stopped.
  func kick() {
    wake {
      hasStopped = true
      return $0 == .waiting || $0 == .paused
    }
  }

  /// The descriptor is ready, or will never be: one call per arming.
  private func found(_ finding: IOReadiness.Finding) {
    if finding == .closed { descriptor.isGone = true }
    wake {
      isArmed = false
      return $0 == .waiting
    }
  }

  private func wake(_ condition: (State) -> Bool) {
    let channel = lock.withLock { () -> IOChannel? in
      guard condition(state), scheduleAssumingLocked(from: state) else { return nil }
      return operations.first?.channel
    }
    if let channel { submitJob(channel) }
  }

  private func scheduleAssumingLocked(from expected: State) -> Bool {
    guard state == expected, expected != .scheduled else { return false }
    state = .scheduled
    return true
  }

  private func submitJob(_ channel: IOChannel) {
    let own = Unmanaged.passRetained(self).toOpaque()
    channel.jobs.async(CWork({ Unmanaged<IOLane>.fromOpaque($0).takeRetainedValue().run(turns: IOTuning.turns) }, own))
  }

  // MARK: the job

  private func run(turns limit: Int) {
    var turns = 0
    while let (operation, tick) = next() {
      guard turns < limit else { return submitJob(operation.channel) }
      turns += 1
      switch operation.turn(self, tick: tick) {
      case .transfer: break
      case .wait: if wait(for: operation) { return }
      case .finish: finished(operation)
      }
    }
  }

  /// Whose turn it is; nil if it is nobody's: the lane is then idle or paused.
  private func next() -> (IOOperation, tick: Bool)? {
    let (stopped, found) = lock.withLock { (stoppedAssumingLocked(), nextAssumingLocked()) }
    for operation in stopped { finished(operation, isInLine: false) }
    return found
  }

  private func nextAssumingLocked() -> (IOOperation, tick: Bool)? {
    guard let operation = operations.first else {
      state = .idle
      return nil
    }
    let tick = operation.reports.tickIsDue
    if !operation.channel.isStopped, mustPause(operation) {
      state = .paused
      return nil
    }
    operation.reports.tickIsDue = false
    return (operation, tick)
  }

  private func mustPause(_ operation: IOOperation) -> Bool {
    if operation.reports.areMany { return true }
    guard let flow = operation.flow, flow.isFull else { return false }
    if operation.reports.isExcused {
      operation.reports.isExcused = false
      return false
    }
    if !operation.reports.isExcuseArmed {
      operation.reports.isExcuseArmed = true
      operation.channel.jobs.asyncAfter(deadline: .now() + IOFlow.patience) { [weak self, weak operation] in
        if let operation { self?.excuse(operation) }
      }
    }
    return true
  }

  private func excuse(_ operation: IOOperation) {
    wake {
      operation.reports.isExcuseArmed = false
      guard $0 == .paused, operations.first === operation else { return false }
      operation.reports.isExcused = true
      return true
    }
  }

  /// Takes the stopped operations out that are not at the front; the front one ends by its own turn.
  private func stoppedAssumingLocked() -> [IOOperation] {
    guard hasStopped else { return [] }
    hasStopped = false
    guard let front = operations.first else { return [] }
    return operations.removeAll { $0 !== front && $0.channel.isStopped }
  }

  private func finished(_ operation: IOOperation, isInLine: Bool = true) {
    if isInLine {
      _ = lock.withLock { operations.popFirst() }
    } else {
      operation.refuse(ErrorNumber.cancelled)
    }
    descriptor.operationEnded(self)
  }

  /// False if there is something to do instead.
  private func wait(for operation: IOOperation) -> Bool {
    let watch = watch ?? makeWatch(operation.channel)
    guard let watch else { return false }
    let (isWaiting, arms) = lock.withLock { () -> (Bool, Bool) in
      if operation.channel.isStopped || descriptor.isGone || hasStopped || operation.reports.tickIsDue { return (false, false) }
      state = .waiting
      defer { isArmed = true }
      return (true, !isArmed)
    }
    if arms { watch.arm() }
    return isWaiting
  }

  private func makeWatch(_ channel: IOChannel) -> IOReadiness? {
    watch = IOReadiness(descriptor.number, direction, label: channel.label) { finding in
      self.found(finding)  // until `end` cancels the subscription
    }
    return watch
  }

  /// No operation will come any more. `done` is called once the descriptor is no longer monitored for us.
  func end(_ done: @escaping @Sendable () -> Void) {
    guard let watch else { return done() }
    self.watch = nil
    watch.cancel(then: done)
  }

  // MARK: reports

  /// Submits a report behind the operation's earlier ones.
  func report(_ operation: IOOperation, _ report: IOReport) {
    let isNext = lock.withLock { () -> Bool in
      operation.reports.count += 1
      operation.reports.bytes += report.bytes
      if operation.keepsOrder || operation.reports.count == 1 { return true }
      operation.reports.waiting.append(report)
      return false
    }
    if isNext { operation.submit(report, self) }
  }

  /// The handler has returned.
  func returned(_ operation: IOOperation, _ bytes: Int) {
    let next = lock.withLock { () -> IOReport? in
      operation.reports.count -= 1
      operation.reports.bytes -= bytes
      return operation.reports.waiting.popFirst()
    }
    if let next { operation.submit(next, self) }
    wake { $0 == .paused && operations.first === operation && !operation.reports.areMany }
  }

  // MARK: the interval

  /// Has the operation tick after this many nanoseconds, and on as long as it lives.
  func arm(_ operation: IOOperation, after nanoseconds: UInt64) {
    let interval = DispatchTimeInterval.nanoseconds(Int(min(max(nanoseconds, 1_000_000), UInt64(Int.max))))
    operation.channel.jobs.asyncAfter(deadline: .now() + interval) { [weak self, weak operation] in
      if let self, let operation { tick(operation, nanoseconds) }
    }
  }

  private func tick(_ operation: IOOperation, _ nanoseconds: UInt64) {
    var isOver = false
    wake {
      guard operations.first === operation else {
        isOver = true
        return false
      }
      // While the user has not got the last report another one would tell nothing new.
      guard operation.reports.count == 0 else { return false }
      operation.reports.tickIsDue = true
      return $0 == .waiting || $0 == .paused
    }
    if !isOver { arm(operation, after: nanoseconds) }
  }
}

// MARK: a callback when a descriptor is ready

// Once for each request. How descriptors are monitored is Events/.

/// Asks for one lane.
final class IOReadiness: Sendable {
  /// What the descriptor is found to be.
  enum Finding: Sendable {
    /// Reading or writing will tell.
    case ready
    /// It was closed meanwhile: the number may be another file's.
    case closed
  }

  /// The delay in nanoseconds before a subscription that the system refused is tried again.
  private static let retry: UInt64 = 10_000_000
  private let watch: DescriptorSubscription

  /// `found` is called once for each `arm()`, on any thread, and must be brief.
  init(_ number: Int32, _ direction: IOProgress.Direction, label: String, _ found: @escaping @Sendable (Finding) -> Void) {
    watch = DescriptorTable.shared.watch(number, direction == .read ? .readable : .writable, label: label) { event in
      switch event {
      case .ready, .always: found(.ready)
      case .closed: found(.closed)
      case .failed:
        // No timer: it might be what the system refuses.
        GlobalQueues.queue(for: .default).async {
          let word = Atomic32(0)
          word.park(expected: 0, deadline: .uptime(Clock.uptime() + Self.retry))
          found(.ready)
        }
      }
    }
  }

  func arm() { watch.rearm() }

  /// `done` is called once nothing of this touches the descriptor any more.
  func cancel(then done: @escaping @Sendable () -> Void) { watch.cancel(then: done) }
}
