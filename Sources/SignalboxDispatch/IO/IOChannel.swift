// IOChannel.swift: what a channel is made of: its policy, its operations under way, its end. Users hold a DispatchIO, so that
// letting go of it is noticed although operations still hold the channel.
//
//   open ──close, last reference gone──> closed ──no operation left──> left: the cleanup handler is submitted once the
//     └──creation or opening failed────> failed ──no operation left──┘       descriptor's other channels have left as well
// Nothing is lost: an operation counts from its submission until its last report has returned.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

final class IOChannel: @unchecked Sendable {
  // SAFETY of @unchecked: `state` and `held` are guarded by `lock`; everything else never changes, or is atomic.

  /// What runs when the channel has left.
  struct Cleanup: @unchecked Sendable {
    // SAFETY: runs once, on its queue; what it captures is its maker's business.
    var queue: DispatchQueue
    var handler: (Int32) -> Void
  }

  private struct State {
    var policy = IOPolicy()
    /// Operations and barriers that have not ended for their users.
    var outstanding = 0
    var isClosed = false
    var hasLeft = false
    /// Why it could not be made or opened.
    var error: Int32 = 0
  }

  let type: DispatchIO.StreamType
  let descriptor: IODescriptor
  private let cleanup: Cleanup?
  /// Of a random-access channel: the file pointer when it was made.
  private let base: Int64
  private let hasDescriptor: Bool
  /// Whether it stands for one operation without a channel: it stays until closed, although it failed, because its operation
  /// comes after it; and its end does not wait for other channels of the descriptor.
  private let isPrivate: Bool

  private let lock = UnfairLock()
  // Unchecked: the lock excludes what the exclusivity check detects.
  @exclusivity(unchecked) private var state = State()
  private let stopWord = Atomic32(0)
  /// The global queue that jobs and barriers run on: it lives forever.
  private let jobsBits: Atomic64
  let place = CContextPlace()

  // Suspension.
  private let suspensions = Atomic32(0)
  private var held = Fifo<() -> Void>()

  // MARK: making

  /// A channel on an open descriptor.
  init(_ type: DispatchIO.StreamType, _ number: Int32, _ cleanup: Cleanup?, isPrivate: Bool = false) {
    self.type = type
    self.isPrivate = isPrivate
    self.cleanup = cleanup
    jobsBits = Self.defaultJobs
    Events.emit(.untoldUsed, 0)
    do throws(SystemError) {
      let kind = try Descriptors.kind(of: number)
      if kind == .folder { throw SystemError(call: "read", code: ErrorNumber.isFolder) }
      base = type == .random ? try Descriptors.position(of: number) : 0
      descriptor = IOTable.join(number, kind)
      hasDescriptor = true
    } catch {
      base = 0
      descriptor = IODescriptor(number: number, kind: .stream)
      hasDescriptor = false
      failed(error.code)
    }
  }

  /// A channel on a file that is opened when the first operation is ready to run.
  init(_ type: DispatchIO.StreamType, _ path: IOPath, _ cleanup: Cleanup?) {
    self.type = type
    isPrivate = false
    self.cleanup = cleanup
    jobsBits = Self.defaultJobs
    Events.emit(.untoldUsed, 0)
    base = 0
    descriptor = IODescriptor(path, isRandom: type == .random)
    hasDescriptor = true
  }

  /// A channel on the descriptor of another one, or on the file of the same name.
  convenience init(_ type: DispatchIO.StreamType, like other: IOChannel, _ cleanup: Cleanup?) {
    let refusal = other.refusal
    if let path = other.descriptor.path, refusal == 0 {
      self.init(type, path, cleanup)
    } else if refusal == 0 {
      self.init(type, other.descriptor.number, cleanup)
    } else {
      self.init(type, failed: refusal, cleanup)
    }
  }

  private init(_ type: DispatchIO.StreamType, failed error: Int32, _ cleanup: Cleanup?) {
    self.type = type
    isPrivate = false
    self.cleanup = cleanup
    jobsBits = Self.defaultJobs
    Events.emit(.untoldUsed, 0)
    base = 0
    descriptor = IODescriptor(number: -1, kind: .stream)
    hasDescriptor = false
    failed(error)
  }

  deinit { place.objectIsGone(of: self) }

  private static var defaultJobs: Atomic64 { Atomic64(GlobalQueues.bits(for: .default)) }

  // MARK: what operations ask

  var jobs: DispatchQueue {
    // relaxed: the queue is older than the channel, and any of its values is right.
    Unmanaged<DispatchQueue>.at(UInt(jobsBits.loadRelaxed())).takeUnretainedValue()
  }

  /// How reports name it.
  var label: String { "I/O channel on descriptor \(descriptor.number)" }

  /// Whether operations under way are to end.
  // seq_cst: under the lane's lock, before it waits; pairs with the store in close(), which comes before the lanes are kicked
  var isStopped: Bool { stopWord.loadSeqCst() != 0 }

  /// The position `moved` bytes behind an offset; nil if there is none.
  func position(_ offset: Int64, moved: Int) -> Int64? {
    let (start, isOver) = base.addingReportingOverflow(offset)
    let (position, isFar) = start.addingReportingOverflow(Int64(moved))
    return isOver || isFar || start < 0 ? nil : position
  }

  /// Why a new operation cannot run: closed, never made, not opened; else 0.
  private var refusal: Int32 { lock.withLock { refusalAssumingLocked } }
  private var refusalAssumingLocked: Int32 {
    state.error != 0 ? state.error : state.isClosed ? ErrorNumber.cancelled : 0
  }

  private var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  // MARK: operations

  /// A read or a write.
  func schedule(
    _ direction: IOProgress.Direction, offset: Int64, length: Int, data: DispatchData? = nil, queue: DispatchQueue?,
    _ handler: @escaping IOHandler
  ) {
    Events.emit(direction == .read ? .readAsked : .writeAsked, address)
    let (policy, refusal) = lock.withLock { () -> (IOPolicy, Int32) in
      state.outstanding += 1
      return (state.policy, refusalAssumingLocked)
    }
    let operation = IOOperation(
      direction, self, offset: offset, length: length, data: data, queue: queue, policy: policy, handler: handler)
    if Events.areWanted(.transferBegan) { operation.tellBeginning() }
    if refusal != 0 { return operation.refuse(refusal) }
    guard holdsBack else { return descriptor.add(operation) }
    afterResuming { [self] in descriptor.add(operation) }
  }

  /// A barrier; on a closed channel as well.
  func scheduleBarrier(_ body: @escaping () -> Void) {
    Events.emit(.channelBarrierAsked, address)
    let hasLeft = lock.withLock { () -> Bool in
      state.outstanding += 1
      return state.hasLeft
    }
    if hasLeft || !hasDescriptor { return runBarrier(body) }
    afterResuming { [self] in descriptor.addBarrier(self, body) }
  }

  /// Submits the block of a barrier whose turn has come.
  func runBarrier(_ body: @escaping () -> Void) {
    // SAFETY: C's and Apple's interface puts this on the caller: the block is fit for another thread.
    nonisolated(unsafe) let body = body
    afterResuming { [self] in
      jobs.async { [self] in
        followInSanitizedOrder(nil)
        body()
        operationEnded()
      }
    }
  }

  /// The last report of an operation has returned, or a barrier has.
  func operationEnded() {
    precedeCleanupInSanitizedOrder()
    leaveIfDone { state.outstanding -= 1 }
  }

  /// The descriptor could not be had: the channel is done with it.
  func failed(_ error: Int32) {
    leaveIfDone { if state.error == 0 { state.error = error } }
  }

  // MARK: the end

  /// No new operations; those under way end with an error if `stops`, else as they would.
  func close(stops: Bool) {
    Events.emit(.channelClosed, address)
    let isOpen = lock.withLock { !state.hasLeft }
    if stops && isOpen {
      // seq_cst: before the kick's locks, so that a lane that they find running checks the word afterwards.
      stopWord.storeSeqCst(1)
      descriptor.kick()
    }
    leaveIfDone { state.isClosed = true }
  }

  private func leaveIfDone(after change: () -> Void) {
    let error = lock.withLock { () -> Int32? in
      change()
      let isOver = state.isClosed || (state.error != 0 && !isPrivate)
      guard isOver, state.outstanding == 0, !state.hasLeft else { return nil }
      state.hasLeft = true
      return state.error
    }
    guard let error else { return }
    let end: @Sendable () -> Void = { [self] in submitCleanup(error) }
    if hasDescriptor { IOTable.leave(descriptor, waitsForOthers: !isPrivate, end) } else { end() }
  }

  private func submitCleanup(_ error: Int32) {
    guard let cleanup else { return }
    afterResuming {
      cleanup.queue.async { [self] in
        followEndInSanitizedOrder()
        cleanup.handler(error)
        SanitizedDeeds.letsGo(of: self)
      }
    }
  }

  // MARK: what users set

  func set(_ change: (inout IOPolicy) -> Void) {
    Events.emit(.channelSet, address)
    lock.withLock { change(&state.policy) }
  }

  /// The descriptor; -1 once closed, and while there is none. Inside of a barrier on a path it is opened now.
  var fileDescriptor: Int32 {
    if lock.withLock({ state.isClosed }) { return -1 }
    if descriptor.path != nil, descriptor.isInBarrier {
      let error = descriptor.opened().error
      if error != 0 { failed(error) }
    }
    return descriptor.number
  }

  /// Jobs and barriers run on the global queue that `queue` leads to.
  func setTarget(_ queue: DispatchQueue?) {
    Events.emit(.channelSet, address)
    place.made.setTarget(queue)
    var root = queue ?? GlobalQueues.queue(for: .default)
    while let next = root.target { root = next }
    if !root.isRoot { root = GlobalQueues.queue(for: .default) }
    jobsBits.storeRelaxed(UInt64(root.address))  // relaxed: as in `jobs`
  }

  // MARK: suspension
  //
  // `suspensions` is twice their number, and 1 more while what they held back is let go: as long as it is not 0, everything goes
  // behind what is held, or a later operation, or a later report of one, would overtake an earlier one.

  var isSuspended: Bool { suspensions.loadAcquire() > 1 }  // acquire: pairs with the stores below, which the lock orders

  /// Whether calls must wait, or go behind those that do.
  var holdsBack: Bool { suspensions.loadAcquire() != 0 }  // acquire: as in isSuspended

  /// Calls `body` now, or when the channel is resumed; in order.
  func afterResuming(_ body: @escaping () -> Void) {
    let isHeld =
      holdsBack
      && lock.withLock { () -> Bool in
        guard holdsBack else { return false }
        held.append(body)
        return true
      }
    if !isHeld { body() }
  }

  // release: pairs with isSuspended and holdsBack. relaxed: the lock orders who writes
  func suspend() {
    Events.emit(.channelSet, address)
    lock.withLock { suspensions.storeRelease(suspensions.loadRelaxed() + 2) }
  }

  /// False if it was not suspended.
  func resume() -> Bool {
    Events.emit(.channelSet, address)
    let before = lock.withLock { () -> UInt32 in
      let word = suspensions.loadRelaxed()  // relaxed: the lock orders who writes
      if word > 1 { suspensions.storeRelease(word == 2 ? 1 : word - 2) }  // release: as in suspend()
      return word
    }
    if before == 2 { letHeldGo() }  // an odd one: another thread is at it
    return before > 1
  }

  private func letHeldGo() {
    while let body = nextHeld() { body() }
  }

  /// nil when nothing is held any more, or the channel is suspended again.
  private func nextHeld() -> (() -> Void)? {
    lock.withLock {
      let word = suspensions.loadRelaxed()  // relaxed: the lock orders who writes
      if word == 1, let body = held.popFirst() { return body }
      suspensions.storeRelease(word - 1)  // release: as in suspend(); what was held has been let go before
      return nil
    }
  }
}
