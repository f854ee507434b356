// DispatchQueue+After.swift: submitting work at a later time. The timers are ClockTimers.swift; work items have their own way, in
// DispatchWorkItem+After.swift.
import SignalboxDiagnosis
import SignalboxRecorder
import SignalboxSystem

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
    let words = work.raw
    after(raw, words.function, words.context, never: never)
  }

  private final func after(_ raw: dispatch_time_t, _ flags: DispatchWorkItemFlags, _ qos: DispatchQoS, _ work: RawWork) {
    let isBarrier = flags.contains(.barrier) && isConcurrent
    guard isBarrier || qos.qosClass != .unspecified else {
      return after(raw, work.function, work.context) { _ = work.take() }
    }
    let node = NodeCache.take()
    node.pointee.work = work
    node.pointee.isBarrier = isBarrier
    node.pointee.takeClass(flags.ownClass(qos), flags)
    after(raw, SlotKind.node, UInt64(UInt(bitPattern: node))) {
      _ = work.take()
      NodeCache.give(node)
    }
  }

  final func after(_ raw: dispatch_time_t, _ first: UInt64, _ second: UInt64, never destroy: () -> Void) {
    if !Instruments.areOff {
      InstrumentHooks.pass(.after, object: address)
      if let other = standIn { return other.after(raw, first, second, never: destroy) }
    }
    switch Deadline(raw) {
    case .forever: destroy()
    case .now: pushEither(first, second)
    case .uptime(let point): after(.uptime, point, first, second)
    case .continuous(let point): after(.continuous, point, first, second)
    case .wall(let point): after(.wall, point, first, second)
    }
  }

  private final func after(_ clock: RawTime.Clock, _ point: UInt64, _ first: UInt64, _ second: UInt64) {
    let present = clock.present
    if point <= present { return pushEither(first, second) }
    if RecordHooks.isOn { RecordedItem.armed(self, second, point - present) }
    ClockTimers.of(clock).use { $0.submit(at: point, to: self, first, second) }
  }
}
