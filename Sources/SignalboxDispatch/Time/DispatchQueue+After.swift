// DispatchQueue+After.swift: submitting work at a later time. The timers are ClockTimers.swift.
import SignalboxDiagnosis
import SignalboxSystem

extension DispatchQueue {
  /// Submits `work` once `deadline` has come: never before, and as soon after as the system wakes us. A past deadline submits
  /// at once; `.distantFuture` never does, and destroys `work`. `qos` and `flags` are the item's, as for `async`.
  public final func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    after(deadline.rawValue, flags, qos, RawWork(taking: work))
  }

  /// Submits `work` once the wall clock shows `wallDeadline`; follows that clock when it is set.
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    after(wallDeadline.rawValue, flags, qos, RawWork(taking: work))
  }

  /// Submits a work item once `deadline` has come.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) { after(deadline.rawValue, execute) }

  /// Submits a work item once the wall clock shows `wallDeadline`.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    after(wallDeadline.rawValue, execute)
  }

  /// Submits `work` at a raw time of any of the three clocks.
  package final func asyncAfter(raw: dispatch_time_t, execute work: consuming @escaping @Sendable () -> Void) {
    after(raw, [], .unspecified, RawWork(taking: work))
  }

  final func after(_ raw: dispatch_time_t, _ workItem: DispatchWorkItem) {
    after(raw, SlotKind.workItem, UInt64(UInt(bitPattern: Unmanaged.passRetained(workItem).toOpaque()))) {
      Unmanaged.passUnretained(workItem).release()
    }
  }

  private final func after(_ raw: dispatch_time_t, _ flags: DispatchWorkItemFlags, _ qos: DispatchQoS, _ work: RawWork) {
    let isBarrier = flags.contains(.barrier) && kind == .concurrent
    guard isBarrier || qos.qosClass != .unspecified else {
      return after(raw, work.function, work.context) { _ = work.take() }
    }
    let node = NodeCache.take()
    node.pointee.work = work
    node.pointee.isBarrier = isBarrier
    node.pointee.qos = qos
    after(raw, SlotKind.node, UInt64(UInt(bitPattern: node))) {
      _ = work.take()
      NodeCache.give(node)
    }
  }

  final func after(_ raw: dispatch_time_t, _ first: UInt64, _ second: UInt64, never destroy: () -> Void) {
    if !Instruments.areOff { InstrumentHooks.pass(.after, object: address) }
    switch Deadline(raw) {
    case .forever: destroy()
    case .now: push(first, second)
    case .uptime(let point): after(.uptime, point, first, second)
    case .continuous(let point): after(.continuous, point, first, second)
    case .wall(let point): after(.wall, point, first, second)
    }
  }

  private final func after(_ clock: RawTime.Clock, _ point: UInt64, _ first: UInt64, _ second: UInt64) {
    if point <= clock.present { return push(first, second) }
    ClockTimers.of(clock)._withUnsafeGuaranteedRef { $0.submit(at: point, to: self, first, second) }
  }
}
