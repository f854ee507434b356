// DispatchSemaphore.swift: a counter to wait on, as Swift and as C make it. One addition each way while no thread
// waits.
//
//   value  what is available, minus who waits: a thread that takes it below zero waits for a token
//   crowd  tokens, given by signals that found somebody waiting and taken by waiters; and how many waiters may be parked (TokenState)
// signal: value + 1; was it negative, a token more, which tells in the same step whether somebody sleeps. That is the last touch:
// with its token a waiter may return and free the semaphore. A waiter that times out gives its place back (value + 1) as long as
// value is negative; if it is not, a signal has counted on it and its token is there or about to be.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A counting semaphore: `wait()` takes one from the count and blocks while it is zero, `signal()` adds one.
///
/// Thread safety: every method may be called from any thread. Memory: `signal()` happens before the return of the wait that it
/// ends.
///
/// ```swift
/// let places = DispatchSemaphore(value: 2)  // at most two bodies at the same time
/// DispatchQueue.concurrentPerform(iterations: 6) { index in
///   places.wait()
///   defer { places.signal() }
///   print("body \(index)")
/// }
/// ```
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: all state is atomic.
  @usableFromInline final let value: Atomic64
  private final let crowd = AtomicState(TokenState(rawValue: 0))
  final let reportedName = ReportedName()
  private final let initial: Int

  /// What `print` shows.
  override final func text(at address: UInt) -> String {
    let count = Int64(bitPattern: value.loadRelaxed())  // relaxed: for people
    let facts = count >= 0 ? ["value \(count)"] : ["value 0", "\(-count) waiting"]
    return ObjectText.plain("DispatchSemaphore", name, address, facts)
  }

  /// Creates a semaphore with the count `value`.
  /// - Precondition: `value` is not negative; otherwise the program is stopped.
  public init(value: Int) {
    guard value >= 0 else {
      Misuse.stop("a semaphore is created with the value \(value): start at 0 or above")
    }
    self.value = Atomic64(UInt64(value))
    initial = value
    super.init()
  }

  deinit {
    let last = Int64(bitPattern: value.loadAlone())
    if last < Int64(initial) {
      Misuse.stop(
        "a semaphore\(name.map { " \"\($0)\"" } ?? "") created with the value \(initial) is freed with the value \(last): "
          + "a wait has had no signal yet; balance every wait() with a signal()")
    }
    reportedName.isGone(address)
    Events.emit(.gone, address, UInt64(WaitKind.semaphore.rawValue))
  }

  private final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Adds one to the count and wakes one waiting thread, if there is one.
  /// - Returns: non-zero if a thread was waiting, else 0.
  @inlinable @discardableResult
  public final func signal() -> Int {
    if _slowPath(!Instruments.areOff) { tellSignal() }
    // seq_cst, of which the release counts: what the signaller did is visible to the wait that this ends.
    if _fastPath(Int64(bitPattern: value.addSeqCst(1)) >= 0) { return 0 }
    return signalSlow()
  }

  /// Takes one from the count; blocks while it is zero.
  ///
  /// If the main thread blocks here for a second while the main queue has items, one warning is written.
  @inlinable
  public final func wait() {
    if _slowPath(!Instruments.areOff) { tellWait() }
    // seq_cst, of which the acquire counts: pairs with signal()'s addition
    if _fastPath(Int64(bitPattern: value.subtractSeqCst(1)) > 0) { return }
    _ = waitSlow(~0)
  }

  /// Takes one from the count; blocks while it is zero, at most until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult { wait(raw: timeout.rawValue) }

  /// Takes one from the count; blocks while it is zero, at most until the wall clock reaches `wallTimeout`.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { wait(raw: wallTimeout.rawValue) }

  package final func wait(raw: dispatch_time_t) -> DispatchTimeoutResult {
    if Events.areWanted(.semaphoreWaitAsked) { Events.tell(.semaphoreWaitAsked, address, Deadline(raw).patience, 0) }
    // seq_cst, of which the acquire counts: pairs with signal()'s addition
    if Int64(bitPattern: value.subtractSeqCst(1)) > 0 { return .success }
    return waitSlow(raw)
  }

  // MARK: the two halves apart, for the C face

  /// Whether no instrument is on, so that the halves may be used.
  @inlinable @inline(__always) package static var isPlain: Bool { Instruments.areOff }
  /// Takes one; false: `waitAfterTaking` must follow.
  // seq_cst: as in wait()
  @inlinable @inline(__always) package final func takeQuickly() -> Bool { Int64(bitPattern: value.subtractSeqCst(1)) > 0 }
  /// The wait of a thread that has taken what was not there.
  @inlinable package final func waitAfterTaking(_ raw: dispatch_time_t) -> DispatchTimeoutResult { waitSlow(raw) }
  /// Adds one; false: `signalAfterGiving` must follow.
  // seq_cst: as in signal()
  @inlinable @inline(__always) package final func giveQuickly() -> Bool { Int64(bitPattern: value.addSeqCst(1)) >= 0 }
  /// Passes on what was added to a thread that waits for it.
  @inlinable package final func signalAfterGiving() -> Int { signalSlow() }

  @inline(never) @usableFromInline final func tellWait() {
    Events.emit(.semaphoreWaitAsked, address, EventKind.withoutLimit)
  }

  @inline(never) @usableFromInline final func tellSignal() {
    let value = Int64(bitPattern: self.value.loadRelaxed())  // relaxed: for readers of a recording, who know that it is a guess
    Events.emit(.semaphoreSignalled, address, UInt64(max(0, -value)))
  }

  @inline(never) @usableFromInline
  final func signalSlow() -> Int {
    let place = tokensAddress  // found before the token is out: from then on it is a name, of memory that may be gone
    // release K1: what the signaller did is visible to the wait that takes the token (takeToken).
    if TokenState(rawValue: crowd.word.addAcqRel(TokenState.tokens.one)).hasSleepers { Parking.wake(place) }
    return 1
  }

  /// What waiting threads park on. SAFETY: a field of an object does not move.
  private final var tokensAddress: UnsafePointer<Atomic32> { withUnsafePointer(to: crowd.word) { Parking.lowHalf($0) } }

  @inline(never) @usableFromInline
  final func waitSlow(_ raw: dispatch_time_t) -> DispatchTimeoutResult {
    let deadline = Deadline(raw)
    if takeToken() { return .success }
    if deadline.hasPassed() { return giveUp() }
    if AdaptiveSpin.wait({ takeToken() }) { return .success }
    Waiting.begin(.semaphore, object: address, isTimed: deadline != .forever, .init())
    defer { WaitRecord.withdraw() }
    return Blocking.whileBlocked { sleep(until: deadline) }
  }

  private final func sleep(until deadline: Deadline) -> DispatchTimeoutResult {
    // relaxed: the kernel compares the tokens once more; a signal that comes later finds the sleeper in the same word.
    _ = crowd.word.addRelaxed(TokenState.sleepers.one)
    defer { _ = crowd.word.addRelaxed(0 &- TokenState.sleepers.one) }  // relaxed: a wake in vain at most
    var warning = deadline == .forever ? MainThreadWait.semaphoreWarning() : nil
    while true {
      if takeToken() { return .success }
      let limit = warning.map { ParkDeadline.uptime($0.due) } ?? deadline.parkDeadline()
      let outcome = Parking.park(tokensAddress, expected: 0, deadline: limit)
      guard outcome == .timedOut else { continue }
      if let due = warning {
        warning = due.next()
        continue
      }
      if deadline.hasPassed() { return giveUp() }
    }
  }

  /// How far behind a semaphore's address its tokens lie: for those who inspect semaphores that may be gone.
  static let tokensOffset: UInt = {
    let sample = DispatchSemaphore(value: 0)
    let address = UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    return UInt(bitPattern: sample.tokensAddress) - address
  }()

  final var testsOnly_sleepers: UInt64 { crowd.load()[TokenState.sleepers] }

  /// The swap acquires what the signaller released with the token (K1).
  private final func takeToken() -> Bool { crowd.moved { $0.afterTake() } }

  private final func giveUp() -> DispatchTimeoutResult {
    var old = value.loadRelaxed()  // relaxed: the swap re-checks
    while Int64(bitPattern: old) < 0 {
      // relaxed: a count; signal() has counted on this place or finds it given back, and who gets what it gave acquires that
      let swap = value.casRelaxed(old, old &+ 1)
      if swap.exchanged { return .timedOut }
      old = swap.original
    }
    var spinner = Spinner()
    while !takeToken() { spinner.wait() }
    return .success
  }
}

extension DispatchSemaphore {
  /// The name shown for the semaphore in reports and by `print`, next to its address; nil at first. It affects nothing else.
  ///
  /// ```swift
  /// let places = DispatchSemaphore(value: 2)
  /// places.name = "downloads"
  /// print(places)  // <DispatchSemaphore "downloads" 0x… value 2>
  /// ```
  ///
  /// - Note: Thread safety: any thread. A name occupies an entry in a table until the semaphore is deallocated.
  public final var name: String? {
    get { reportedName.text(of: address) }
    set { reportedName.set(newValue, of: address) }
  }
}

// MARK: a semaphore as C makes it

// With a context and a finalizer (CContext.swift), which few have.

/// A semaphore of the C face.
package final class CSemaphore: DispatchSemaphore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  private let place = CContextPlace()
  package var context: CContext { place.made }
  /// The header: the only use of the target is that the finalizer runs there.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
  deinit { place.objectIsGone(of: self) }
}
