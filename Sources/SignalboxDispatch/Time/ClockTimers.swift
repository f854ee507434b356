// ClockTimers.swift: the timers of one clock: armed by any thread, submitted by the event thread when the clock's alarm goes.
// What is due, and when the alarm must go, is TimerSet.swift; who waits for the alarm is EventThread.swift.
//
// `watched` is the point that the alarm is set for, or is about to be:  0 while the event thread serves it, and will set it
// afterwards; `max` if it is off. It is written under the lock. Whoever lowers it sets the alarm, without the lock, and then
// reads it again: if it has changed meanwhile, the alarm is set once more. So the last setting of the alarm, whoever made it,
// is what `watched` says.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

final class ClockTimers: @unchecked Sendable {
  // SAFETY of @unchecked: set, stock and armed entries are guarded by `lock`; the rest is safe by itself.
  static let uptime = ClockTimers(.uptime)
  static let continuous = ClockTimers(.continuous)
  static let wall = ClockTimers(.wall)
  // They live forever, and nobody counts: all threads that arm and cancel would count on the same word.
  private static let uptimeReference = Lent(uptime)
  private static let continuousReference = Lent(continuous)
  private static let wallReference = Lent(wall)

  /// Those of the calling thread's engine.
  static func of(_ clock: RawTime.Clock) -> Lent<ClockTimers> {
    if let clocks = PrivateClocks.ofCaller { return clocks.use { $0.timers(clock) } }
    return switch clock {
    case .uptime: uptimeReference
    case .continuous: continuousReference
    case .wall: wallReference
    }
  }

  let clock: RawTime.Clock
  private let alarm: ClockAlarm
  private let lock = UnfairLock()
  // Unchecked: the lock excludes what the exclusivity check detects, and that check took longer than the lock.
  @exclusivity(unchecked) private var set: TimerSet
  @exclusivity(unchecked) private var stock = TimerStock()
  private let watched = Atomic64(.max)
  /// Belongs to the event thread.
  private var idleDue: [DueTimer] = []
  private var idleSpent: [TimerEntryPointer] = []
  private var crowd = TimerCrowd()
  private let isPrivate: Bool
  /// For how many due timers that room is kept.
  private static let roomKept = 1024
  /// How many entries are checked while the lock is held.
  private static let budget = 256
  /// How often one serving searches again for what has come due meanwhile.
  private static let passes = 16
  /// How far ahead of its turn an object is fetched.
  private static let distance = 3

  // Which of the three have been made, by their bits: who only reads must not make them, nor their alarms.
  private static let made = Atomic64(0)
  private static var bits: [(UInt64, () -> ClockTimers)] { [(1, { uptime }), (1 << 8, { continuous }), (1 << 16, { wall })] }

  /// How many timers are armed, of all clocks.
  static var armedCount: Int {
    // acquire: pairs with the addition when one is made; the object itself is found by its static
    let made = made.loadAcquire()
    return bits.reduce(0) { sum, clock in
      made & clock.0 == 0 ? sum : sum + clock.1().lock.withLock { clock.1().set.count }
    }
  }

  init(_ clock: RawTime.Clock, isPrivate: Bool = false) {
    self.clock = clock
    self.isPrivate = isPrivate
    let bit: UInt64 = clock == .uptime ? 1 : clock == .continuous ? 1 << 8 : 1 << 16
    if !isPrivate { _ = Self.made.addSeqCst(bit) }  // seq_cst, though the bit is all that it tells
    set = TimerSet(now: clock.present)
    // Not before it is set, and so not before this object is what `of` finds.
    alarm = ClockAlarm(clock, isPrivate: isPrivate) { ClockTimers.of(clock).use { $0.alarmWent() } }
    // Before anything is armed. Clocks of explorations are not shown.
    if !isPrivate {
      let address = Unmanaged.passUnretained(self).toOpaque()
      TimerDescription.write(clock, at: address, set.places(behind: UInt(bitPattern: address)))
    }
  }

  /// How many timers are armed.
  var armedCount: Int { lock.withLock { set.count } }

  /// Of a private engine: lets the alarm's thread end.
  func endAlarm() { alarm.end() }

  // MARK: arming

  /// Submits the item to `queue` once the clock has reached `point`, and as soon after as may be.
  func submit(at point: UInt64, to queue: DispatchQueue, _ slot: Slot) {
    let queue = Unmanaged.passRetained(queue)
    var fresh: TimerBlockPointer?
    while true {
      let mustSet = lock.withLock { () -> Bool? in
        if let fresh { stock.add(fresh) }
        guard let entry = stock.take() else { return nil }
        entry.pointee.task = .item(queue, slot)
        return insert(entry, TimerWindow(point))
      }
      if let mustSet { return mustSet ? setAlarm() : () }
      fresh = TimerBlock.make()
    }
  }

  /// Under the lock: takes in an idle entry; returns whether the caller must set the alarm.
  private func insert(_ entry: TimerEntryPointer, _ window: TimerWindow) -> Bool {
    entry.setWindow(window)
    set.insert(entry)
    // relaxed: written under this lock only
    guard window.latest < watched.loadRelaxed() else { return false }
    watched.storeSeqCst(window.latest)  // seq_cst W1
    return true
  }

  // MARK: entries that others own; their owner makes one call at a time

  /// Arms the receiver's entry, or moves it. `isArmed` is called under the lock if it was not armed.
  func arm(_ entry: TimerEntryPointer, _ window: TimerWindow, _ receiver: TimerReceiver, isArmed: () -> Void) {
    let mustSet = lock.withLock { () -> Bool in
      if entry.isArmed {
        set.remove(entry)
      } else {
        entry.pointee.task = .tell(receiver)
        isArmed()
      }
      return insert(entry, window)
    }
    if mustSet { setAlarm() }
  }

  /// Takes an entry out if it is armed.
  func disarm(_ entry: TimerEntryPointer) { lock.withLock { if entry.isArmed { set.remove(entry) } } }

  // MARK: the event thread

  /// The alarm has gone, or the clock was set: submits what is due. For the event thread.
  func alarmWent() {
    // What has come due meanwhile needs no alarm; but others wait for this thread, too.
    var passes = 1
    while submitDue(), passes < Self.passes, !crowd.isThere { passes += 1 }
    // relaxed: only this thread leaves 0 behind. seq_cst W1
    if watched.loadRelaxed() == 0 { lock.withLock { watched.storeSeqCst(nextAlarm(after: clock.present)) } }
    setAlarm()
  }

  /// Under the lock: where the alarm belongs after a serving that ended at `now`.
  private func nextAlarm(after now: UInt64) -> UInt64 { set.alarm.map { crowd.alarm(for: $0, after: now) } ?? .max }

  /// Returns whether more has come due meanwhile: `watched` is 0 then.
  private func submitDue() -> Bool {
    let now = clock.present
    // Kept from one alarm to the next: an allocation would stand between the alarm and what it is for.
    var due = idleDue, spent = idleSpent
    (idleDue, idleSpent) = ([], [])
    var isAll = lock.withLock { () -> Bool in
      watched.storeSeqCst(0)  // seq_cst W1
      set.turn(to: now)
      return set.collect(into: &due, spent: &spent, budget: Self.budget)
    }
    while !isAll { isAll = lock.withLock { set.collect(into: &due, spent: &spent, budget: Self.budget) } }
    due.putInOrder()
    for index in due.indices {
      if index + Self.distance < due.count { due[index + Self.distance].task.prefetch() }
      due[index].perform(on: clock)
    }
    let later = clock.present
    var gone: TimerBlockPointer?
    let isMore = lock.withLock { () -> Bool in
      let next = set.alarm ?? .max
      // Where times are chosen there is no crowd: an alarm costs nothing.
      if !isPrivate { crowd.fired(due.count, at: later) }
      if next > later { watched.storeSeqCst(crowd.alarm(for: next, after: later)) }  // seq_cst W1
      stock.give(spent, gone: &gone)
      return next <= later
    }
    gone?.freeAll()
    due.removeAll(keepingCapacity: due.capacity <= Self.roomKept)
    spent.removeAll(keepingCapacity: spent.capacity <= Self.roomKept)
    (idleDue, idleSpent) = (due, spent)
    return isMore
  }

  private func setAlarm() {
    // sequentially consistent W1: orders the alarm (kernel) and `watched`, as told at the top.
    var point = watched.loadSeqCst()
    while point != 0 {
      alarm.set(for: point)
      let current = watched.loadSeqCst()  // seq_cst W1: after the alarm was set
      if current == point { return }
      point = current
    }
  }

  // MARK: for tests

  /// As if the kernel had told that the clock was set.
  func testsOnly_clockWasSet() { alarm.set(for: 0) }

  /// How many timers are armed, and how often one was put into a list or checked.
  var testsOnly_figures: (count: Int, moves: UInt64) { lock.withLock { (set.count, set.moves) } }
}

extension DueTimer {
  /// Does it, and gives up what it holds.
  fileprivate func perform(on clock: RawTime.Clock) {
    switch task {
    case .none: break
    case .item(let queue, let slot):
      Lent(queue).use {
        Events.emit(.queueTouched, $0.address)
        if Events.areWanted(.timerFired) { Events.tell(.timerFired, $0.address, slot.second, clock.present &- latest) }
        $0.pushEither(slot)
      }
      queue.release()
    case .tell(let receiver):
      if Events.areWanted(.timerFired) {
        Events.tell(.timerFired, UInt(bitPattern: receiver.object) | 1, 0, clock.present &- latest)
      }
      receiver.fire(receiver.object)
    }
  }
}

extension TimerTask {
  /// Fetches into the cache what `perform` will touch: receivers lie far apart.
  fileprivate func prefetch() { if case .tell(let receiver) = self { prefetchObjectToWrite(receiver.object) } }
}
