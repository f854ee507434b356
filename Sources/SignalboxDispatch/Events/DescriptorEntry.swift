// DescriptorEntry.swift: one descriptor number: who waits for it, and what the kernel has been asked. The kernel knows one
// registration per open file, so it is asked for all directions at once, for one event, and asked anew after each.
// README.md tells why no event is lost and none reaches a stranger.
import SignalboxLocks
import SignalboxSystem

final class DescriptorEntry: @unchecked Sendable {
  // SAFETY of @unchecked: what changes is guarded by `lock`, the subscriptions' states included. The lock excludes what the exclusivity check
  // detects, and each event passes it several times: hence unchecked.

  private enum Placement {
    /// The kernel has not been asked.
    case none
    /// This poller knows the descriptor, and is asked for these events; for nothing once it has told one.
    case registered(Poller, Poller.Events)
    /// It cannot wait for such a file.
    case always
  }

  /// Subscriptions to be notified, outside of the lock: mostly one, which needs no memory.
  private typealias Calls = Fifo<(DescriptorSubscription, DescriptorEvent)>

  let descriptor: Int32
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var watches: [DescriptorSubscription] = []
  @exclusivity(unchecked) private var placement = Placement.none
  /// Counts registrations: an event of an earlier one is nobody's.
  @exclusivity(unchecked) private var generation: UInt32 = 0
  /// What the descriptor was when the first of the present subscriptions was made.
  @exclusivity(unchecked) private var status: DescriptorStatus?

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  // MARK: subscriptions

  func add(_ watch: DescriptorSubscription) {
    let now = DescriptorStatus(of: descriptor)
    make { calls in
      // The number may be another file's by now.
      if !watches.isEmpty && !isSame(now) { becomeClosed(&calls, "was closed while it was monitored") }
      if watches.isEmpty { status = now }
      watch.change { $0.isListed = true }
      watches.append(watch)
    }
  }

  func rearm(_ watch: DescriptorSubscription) {
    make { calls in
      guard watch.state.isListed, !watch.state.isArmed else { return }
      watch.change { $0.isArmed = true }
      askKernel(&calls)
    }
  }

  /// Where the list of subscriptions is written. Of an entry that nothing else has.
  var placeOfWatches: UInt { withUnsafeMutablePointer(to: &watches) { UInt(bitPattern: $0) } }

  /// Whether it has a subscription.
  var isWatched: Bool { lock.withLock { !watches.isEmpty } }

  func cancel(_ watch: DescriptorSubscription, _ then: @escaping @Sendable () -> Void) {
    var callback: (@Sendable (DescriptorEvent) -> Void)?
    var isFree = true
    make { calls in
      callback = watch.change { state in
        (state.isArmed, state.isListed) = (false, false)
        isFree = state.running == 0
        if !isFree { state.afterwards = then }
        defer { state.callback = nil }
        return state.callback
      }
      guard let place = watches.firstIndex(where: { $0 === watch }) else { return }
      watches.remove(at: place)
      if watches.isEmpty { forget(watch.label) }
    }
    _ = consume callback  // what it holds goes outside of the lock
    if isFree { then() }
  }

  /// The descriptor's status, unless it is not the one that the subscriptions were made for.
  func checkedStatus() -> DescriptorStatus? {
    let now = DescriptorStatus(of: descriptor)
    var isGood = false
    make { calls in
      isGood = isSame(now)
      if !isGood && !watches.isEmpty { becomeClosed(&calls, "was closed while it was monitored") }
    }
    return isGood ? now : nil
  }

  private func isSame(_ now: DescriptorStatus?) -> Bool {
    guard let status, let now else { return false }
    return now.isSameFile(as: status)
  }

  // MARK: the kernel

  /// The event thread: what the kernel was asked for has come, and it is silent until asked again.
  func deliver(_ token: UInt64, _ events: Poller.Events) {
    make { calls in
      guard case .registered(let poller, _) = placement, token == DescriptorToken.make(descriptor, generation) else { return }
      placement = .registered(poller, [])
      for watch in watches where watch.state.isArmed && !events.isDisjoint(with: watch.direction.seen) {
        call(watch, .ready(events), &calls)
      }
      askKernel(&calls)
    }
  }

  /// Asks for all that armed subscriptions wait for, unless the kernel has been asked already.
  private func askKernel(_ calls: inout Calls) {
    var wanted: Poller.Events = []
    for watch in watches where watch.state.isArmed { wanted.formUnion(watch.direction.asked) }
    if wanted.isEmpty { return }
    do {
      switch placement {
      case .always: callArmed(.always, &calls)
      case .registered(let poller, let asked): if !asked.isSuperset(of: wanted) { try modify(poller, wanted, &calls) }
      case .none: try register(wanted, &calls)
      }
    } catch {
      callArmed(.failed(error), &calls)
    }
  }

  private func register(_ wanted: Poller.Events, _ calls: inout Calls) throws(SystemError) {
    let poller = try EventThread.shared.prepare()
    generation &+= 1
    let token = DescriptorToken.make(descriptor, generation)
    do {
      try poller.register(descriptor, for: wanted.union(.oneShot), token: token)
      placement = .registered(poller, wanted)
    } catch {
      switch error.code {
      case ErrorNumber.notPermitted:
        placement = .always
        callArmed(.always, &calls)
      case ErrorNumber.badDescriptor: becomeClosed(&calls, "is not open")
      // A registration that outlived its number, which has come back to the same file.
      case ErrorNumber.exists:
        placement = .registered(poller, [])
        try modify(poller, wanted, &calls)
      default: throw error  // ENOMEM, ENOSPC
      }
    }
  }

  private func modify(_ poller: Poller, _ wanted: Poller.Events, _ calls: inout Calls) throws(SystemError) {
    let token = DescriptorToken.make(descriptor, generation)
    do {
      try poller.modify(descriptor, for: wanted.union(.oneShot), token: token)
      placement = .registered(poller, wanted)
    } catch {
      // The kernel dropped the registration when the file was closed, whatever has the number now.
      guard error.code == ErrorNumber.noEntry || error.code == ErrorNumber.badDescriptor else { throw error }
      becomeClosed(&calls, "was closed while it was monitored")
    }
  }

  /// The last subscription has gone.
  private func forget(_ label: String?) {
    if case .registered(let poller, _) = placement, !poller.remove(descriptor) {
      ClosedDescriptors.report(descriptor, label, "was closed before its source was cancelled")
    }
    placement = .none
    status = nil
  }

  // MARK: telling

  private func becomeClosed(_ calls: inout Calls, _ what: String) {
    if let first = watches.first { ClosedDescriptors.report(descriptor, first.label, what) }
    for watch in watches {
      watch.change { $0.isListed = false }
      call(watch, .closed, &calls)
    }
    watches.removeAll()
    placement = .none
    status = nil
  }

  private func callArmed(_ event: DescriptorEvent, _ calls: inout Calls) {
    for watch in watches where watch.state.isArmed { call(watch, event, &calls) }
  }

  private func call(_ watch: DescriptorSubscription, _ event: DescriptorEvent, _ calls: inout Calls) {
    watch.change { state in
      state.isArmed = false
      state.running += 1
    }
    calls.append((watch, event))
  }

  /// Changes the entry under its lock, and then notifies whoever waits for it.
  private func make(_ body: (inout Calls) -> Void) {
    var calls = Calls()
    lock.withLock { body(&calls) }
    while let (watch, event) = calls.popFirst() {
      lock.withLock { watch.state.callback }?(event)  // nil: cancelled meanwhile
      let afterwards = lock.withLock { () -> (@Sendable () -> Void)? in
        watch.change { state in
          state.running -= 1
          guard state.running == 0 else { return nil }
          defer { state.afterwards = nil }
          return state.afterwards
        }
      }
      afterwards?()
    }
  }
}

extension DescriptorDirection {
  fileprivate var asked: Poller.Events { self == .readable ? [.readable, .readHangUp] : .writable }
  fileprivate var seen: Poller.Events { asked.union([.error, .hangUp]) }
}

/// Descriptors that were closed too early: said once for each label, and not forever.
private enum ClosedDescriptors {
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var said: Set<String> = []

  static func report(_ descriptor: Int32, _ label: String?, _ what: String) {
    guard let label else { return }
    let isNew = lock.withLock { said.count < 64 && said.insert(label).inserted }
    guard isNew else { return }
    SignalboxSystem.Misuse.report(
      "descriptor \(descriptor) of \(label) \(what): it has to stay open until the cancel handler runs")
  }
}
