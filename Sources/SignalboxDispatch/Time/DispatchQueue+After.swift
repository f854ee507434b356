// DispatchQueue+After.swift: submitting work at a later time. The timers are ClockTimers.swift; work items have their own way, in
// DispatchWorkItem+Face.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Submits `work` when `deadline` has passed: never earlier, and as soon afterwards as the system wakes a thread. A past
  /// deadline submits at once; `.distantFuture` releases `work` without running it. `qos` and `flags` apply to the item as in
  /// `async`.
  public final func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    after(deadline.rawValue, flags, qos, RawWork(taking: work))
  }

  /// Submits `work` when the wall clock reaches `wallDeadline`; follows the clock when it is set.
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    after(wallDeadline.rawValue, flags, qos, RawWork(taking: work))
  }

  /// Like `asyncAfter(deadline:qos:flags:execute:)`, but the closure need not be `Sendable`: the caller makes sure that it is
  /// safe.
  public final func asyncAfterUnsafe(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping () -> Void
  ) { asyncAfter(deadline: deadline, qos: qos, flags: flags, execute: Self.assumingSendable(work)) }

  /// Like `asyncAfter(wallDeadline:qos:flags:execute:)`, but the closure need not be `Sendable`: the caller makes sure that it is
  /// safe.
  public final func asyncAfterUnsafe(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping () -> Void
  ) { asyncAfter(wallDeadline: wallDeadline, qos: qos, flags: flags, execute: Self.assumingSendable(work)) }

  /// Submits `work` at a raw time of any of the three clocks.
  package final func asyncAfter(raw: dispatch_time_t, execute work: consuming @escaping @Sendable () -> Void) {
    after(raw, [], .unspecified, RawWork(taking: work))
  }

  /// Submits a C function at a raw time; `never` is called instead when that time never comes.
  package final func asyncAfter(raw: dispatch_time_t, _ work: CWork, never: () -> Void) {
    after(raw, Slot(work.raw), never: never)
  }

  private final func after(_ raw: dispatch_time_t, _ flags: DispatchWorkItemFlags, _ qos: DispatchQoS, _ work: RawWork) {
    let isBarrier = flags.contains(.barrier) && isConcurrent
    guard isBarrier || qos.qosClass != .unspecified else {
      return after(raw, Slot(work)) { _ = work.take() }
    }
    let node = NodeCache.take()
    node.pointee.work = work
    node.pointee.isBarrier = isBarrier
    node.pointee.takeClass(flags.ownClass(qos), flags)
    after(raw, .node(node)) {
      _ = work.take()
      NodeCache.give(node)
    }
  }

  final func after(_ raw: dispatch_time_t, _ slot: Slot, never destroy: () -> Void) {
    if Events.areWanted(.delayAsked) {
      Events.tell(.delayAsked, address, 0, 0)
      if let other = standIn { return other.after(raw, slot, never: destroy) }
    }
    switch Deadline(raw) {
    case .forever: destroy()
    case .now: pushEither(slot)
    case .uptime(let point): after(.uptime, point, slot)
    case .continuous(let point): after(.continuous, point, slot)
    case .wall(let point): after(.wall, point, slot)
    }
  }

  private final func after(_ clock: RawTime.Clock, _ point: UInt64, _ slot: Slot) {
    let present = clock.present
    if point <= present { return pushEither(slot) }
    Events.emit(.timerArmed, address, slot.second, point - present)
    ClockTimers.of(clock).use { $0.submit(at: point, to: self, slot) }
  }
}
