// MemoryPressure.swift: how scarce memory is, for all sources of the program that ask: the kernel's notices, the level
// that they make, the sources that hear.
//
// Nothing is open and nobody checks while no source asks. While the level is normal nobody checks either: the kernel
// tells. Only while it is raised is there one check outstanding, at the time when the last notice ends.
import SignalboxLocks
import SignalboxSystem

/// The memory pressure that sources report.
///
/// ```swift
/// MemoryPressure.inject(.critical)  // sources report at least this level from now on
/// MemoryPressure.inject(.normal)  // the machine's own level counts again
/// ```
public enum MemoryPressure {
  /// A level of memory pressure to simulate.
  ///
  /// ```swift
  /// for level in [MemoryPressure.Level.warning, .critical, .normal] {
  ///   MemoryPressure.inject(level)
  /// }
  /// ```
  public enum Level: Sendable {
    /// Memory is plentiful.
    case normal
    /// Memory is scarce.
    case warning
    /// Memory is about to run out.
    case critical
  }

  /// Makes `level` the lowest level reported from now on: for tests, and for programs that get the level elsewhere, for example
  /// from a supervisor.
  ///
  /// Sources report the change if this changes the level. `.normal` ends an earlier injection, so that only the machine's own
  /// level counts.
  /// Thread safety: any thread.
  ///
  /// ```swift
  /// let relieved = DispatchSemaphore(value: 0)
  /// let pressure = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
  /// pressure.setEventHandler { print("free caches"); relieved.signal() }
  /// pressure.setRegistrationHandler { MemoryPressure.inject(.warning) }  // a test, while there is memory
  /// pressure.activate()
  /// relieved.wait()
  /// pressure.cancel()
  /// MemoryPressure.inject(.normal)
  /// ```
  public static func inject(_ level: Level) {
    switch level {
    case .normal: PressureMonitor.shared.inject(.normal)
    case .warning: PressureMonitor.shared.inject(.warning)
    case .critical: PressureMonitor.shared.inject(.critical)
    }
  }
}

final class PressureMonitor: @unchecked Sendable {
  // SAFETY of @unchecked: everything that changes is guarded by `lock`.
  static let shared = PressureMonitor()

  /// Something that the kernel tells by.
  private struct Channel {
    let owner: AnyObject & Sendable
    let watch: EventSubscription
  }
  /// Whom to tell, found by identity. Weak: a source that is dropped leaves by its end.
  private struct Listener {
    let id: ObjectIdentifier
    let tell: @Sendable (PressureLevel) -> Void
  }

  private let lock = UnfairLock()
  private var state = PressureState()
  private var listeners: [Listener] = []
  private var channels: [Channel] = []
  private var isCheckDue = false

  /// Begins to tell `id` of changes.
  ///
  /// - Returns: why the machine reports nothing here, if so; what is injected is reported all the same.
  func join(_ id: ObjectIdentifier, _ tell: @escaping @Sendable (PressureLevel) -> Void) -> SystemError? {
    lock.withLock {
      listeners.append(Listener(id: id, tell: tell))
      return channels.isEmpty ? openChannels() : nil
    }
  }

  /// Ends what `join` began.
  func leave(_ id: ObjectIdentifier) {
    lock.withLock {
      listeners.removeAll { $0.id == id }
      guard listeners.isEmpty else { return }
      for channel in channels { close(channel) }
      channels = []
      state.forgetNotices()
    }
  }

  func inject(_ level: PressureLevel) { change { state, _ in state.inject(level) } }

  var testsOnly_channelCount: Int { lock.withLock { channels.count } }
  /// A notice as from the kernel.
  func testsOnly_notice(_ level: PressureLevel) { notice(level) }
  /// Whether the kernel's own notices count: a busy machine may send them at any time. relaxed: a setting by itself
  private let ignoresKernel = Relaxed32(0)
  func testsOnly_ignoreKernel(_ ignores: Bool) { ignoresKernel.store(ignores ? 1 : 0) }

  // MARK: changes

  private func notice(_ level: PressureLevel) { change { state, now in state.notice(level, now: now) } }

  private func check() {
    lock.withLock { isCheckDue = false }
    change { _, _ in }
  }

  private func change(_ step: (inout PressureState, UInt64) -> Void) {
    let now = Clock.uptime()
    let next = lock.withLock { () -> UInt64? in
      step(&state, now)
      // Reported under the lock, so that the latest level comes last: it is only a mark and an item in the source's queue.
      if let level = state.takeChange(now: now) { for listener in listeners { listener.tell(level) } }
      guard !isCheckDue, let next = state.nextCheck(now: now) else { return nil }
      isCheckDue = true
      return next
    }
    guard let next else { return }
    GlobalQueues.queue(for: .default).asyncAfter(deadline: DispatchTime(uptimeNanoseconds: next)) { [self] in check() }
  }

  // MARK: what the kernel tells by

  /// At a tenth of two seconds that some task waits for memory, and at three tenths that all do.
  private static let stalls: [(StallTrigger.Share, Duration, PressureLevel)] = [
    (.some, .milliseconds(200), .warning), (.full, .milliseconds(600), .critical),
  ]
  /// Users without privileges may ask for multiples of two seconds only.
  private static let window = Duration.seconds(2)

  private func openChannels() -> SystemError? {
    let group = ControlGroup.ownFolder()
    var refusal: SystemError?
    for file in [group.map { $0 + "/memory.pressure" }, "/proc/pressure/memory"] {
      do { if let file { try openTriggers(file) } } catch { refusal = error }
    }
    if !channels.isEmpty { return nil }
    do { if let group { try openEvents(group + "/memory.events") } } catch { refusal = error }
    return channels.isEmpty ? refusal : nil
  }

  private func openTriggers(_ file: RawString) throws(SystemError) {
    for (share, stall, level) in PressureMonitor.stalls {
      let trigger = try StallTrigger(file, share, stall: stall, window: PressureMonitor.window)
      try open(trigger, trigger.descriptor) { [self] in if ignoresKernel.load() == 0 { notice(level) } }
    }
  }

  /// Without pressure information: how often the control group has met its bounds.
  private func openEvents(_ file: RawString) throws(SystemError) {
    let events = try MemoryEvents(file)
    let last = LastCounts(events.read() ?? .init())
    try open(events, events.descriptor) { [self] in
      guard let new = events.read() else { return drop(events) }
      let old = last.exchange(new)
      for level in PressureLevel.told(by: new, after: old) { notice(level) }
    }
  }

  private func open(
    _ owner: AnyObject & Sendable, _ descriptor: Int32, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let watch = try EventThread.shared.watch(descriptor, for: .urgent) { [self] events in
      // A trigger fails with its control group; counters always come with an error.
      if owner is StallTrigger, events.contains(.error) { drop(owner) } else { body() }
    }
    channels.append(Channel(owner: owner, watch: watch))
  }

  private func drop(_ owner: AnyObject) {
    lock.withLock {
      guard let index = channels.firstIndex(where: { $0.owner === owner }) else { return }
      close(channels.remove(at: index))
    }
  }

  private func close(_ channel: Channel) { channel.watch.cancel { withExtendedLifetime(channel.owner) {} } }
}

/// Counters as they were read last; for the event thread alone, but for the first.
private final class LastCounts: @unchecked Sendable {
  // SAFETY of @unchecked: written before the event thread knows it, then by the event thread only.
  private var counts: MemoryEvents.Counts
  init(_ counts: MemoryEvents.Counts) { self.counts = counts }
  func exchange(_ new: MemoryEvents.Counts) -> MemoryEvents.Counts {
    defer { counts = new }
    return counts
  }
}

// MARK: which level holds, from single notices of stalls

// Pure: time is given.

/// The levels, each worse than the one before.
enum PressureLevel: UInt8, Comparable, Sendable {
  case normal, warning, critical
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What is to be noticed when a control group's counters were `old` and are `new`.
  static func told(by new: MemoryEvents.Counts, after old: MemoryEvents.Counts) -> [PressureLevel] {
    (new.squeezed != old.squeezed ? [.warning] : []) + (new.exhausted != old.exhausted ? [.critical] : [])
  }
}

/// The kernel tells that tasks have waited, at most once per window of two seconds, and never that they wait no longer. So a
/// notice holds for two windows and a half; when it has not come again by then, it is over.
struct PressureState: Equatable, Sendable {
  /// Nanoseconds that one notice holds.
  static let holdTime: UInt64 = 5_000_000_000

  private var warningUntil: UInt64 = 0
  private var criticalUntil: UInt64 = 0
  private(set) var injected = PressureLevel.normal
  /// What was reported last.
  private(set) var told = PressureLevel.normal

  /// A notice came: `level` holds for a while.
  mutating func notice(_ level: PressureLevel, now: UInt64) {
    switch level {
    case .normal: break
    case .warning: warningUntil = now + PressureState.holdTime
    case .critical: criticalUntil = now + PressureState.holdTime
    }
  }

  /// The level is at least this one until it is injected anew.
  mutating func inject(_ level: PressureLevel) { injected = level }

  /// Nobody listens any more: what was noticed is forgotten, what was injected stays.
  mutating func forgetNotices() {
    (warningUntil, criticalUntil) = (0, 0)
    told = injected
  }

  /// The level at this time.
  func level(now: UInt64) -> PressureLevel {
    max(injected, now < criticalUntil ? .critical : now < warningUntil ? .warning : .normal)
  }

  /// The level, if it is not the one that was reported last. It counts as reported then.
  mutating func takeChange(now: UInt64) -> PressureLevel? {
    let level = level(now: now)
    if level == told { return nil }
    told = level
    return level
  }

  /// When to check again because a notice ends; nil while none holds, so that nobody checks in normal times.
  func nextCheck(now: UInt64) -> UInt64? { [warningUntil, criticalUntil].filter { $0 > now }.min() }
}
