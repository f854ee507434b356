// EventThread.swift: the one thread that waits for the machine: for descriptors of ours, for the program's (DescriptorTable) and
// for times by alarms (ClockTimers). It runs nothing of the program's; it tells who is to look. Made at first need.
//
// A watch has a number that is never used again, and events carry it: one that the kernel had ready for a watch that is gone
// finds nobody. README.md tells the protocol.
import SignalboxLocks
import SignalboxSystem

final class EventThread: @unchecked Sendable {
  // SAFETY of @unchecked: what changes is guarded by `lock`; the poller is safe by itself.
  static let shared = EventThread()

  private struct State {
    var poller: Poller?
    var isStarted = false
    var lastToken: UInt64 = 0
    var watches: [UInt64: EventWatch] = [:]
    /// Whose handler runs now; 0: nobody's.
    var running: UInt64 = 0
    /// What is to be called once the running handler has returned.
    var afterwards: (@Sendable () -> Void)?
  }
  private let lock = UnfairLock()
  private var state = State()

  /// Watches a descriptor of ours until the watch is cancelled; the descriptor stays open until then.
  ///
  /// - Parameter handler: called on the event thread while the descriptor is ready, again and again: to be brief.
  func watch(
    _ descriptor: Int32, for events: Poller.Events, _ handler: @escaping @Sendable (Poller.Events) -> Void
  ) throws(SystemError) -> EventWatch {
    let poller = try prepare()
    let watch = lock.withLock { () -> EventWatch in
      state.lastToken += 1
      let watch = EventWatch(token: state.lastToken, descriptor: descriptor, handler: handler)
      state.watches[watch.token] = watch
      return watch
    }
    do {
      try poller.register(descriptor, for: events, token: watch.token)
    } catch {
      lock.withLock { state.watches[watch.token] = nil }
      throw error
    }
    return watch
  }

  /// The poller, with the thread that serves it. What the system refuses now is tried again at the next call.
  func prepare() throws(SystemError) -> Poller {
    ForkGuard.arm()
    return try lock.withLock { () throws(SystemError) -> Poller in
      let poller = if let made = state.poller { made } else { try Poller() }
      state.poller = poller
      if !state.isStarted {
        try Threads.spawn(name: "signalbox.event", stackSize: 256 * 1024) { self.threadBody(poller) }
        state.isStarted = true
      }
      return poller
    }
  }

  /// Ends the sleep under way, or the next one.
  func wake() { lock.withLock { state.poller }?.wake() }

  // MARK: the thread

  private func threadBody(_ poller: Poller) {
    while true {
      poller.wait(untilUptime: nil) { token, events in
        if DescriptorToken.isOne(token) {
          DescriptorTable.shared.deliver(token, events)
        } else {
          deliver(token, events)
        }
      }
    }
  }

  private func deliver(_ token: UInt64, _ events: Poller.Events) {
    let watch = lock.withLock { () -> EventWatch? in
      guard let watch = state.watches[token] else { return nil }
      state.running = token
      return watch
    }
    guard let watch else { return }
    watch.handler(events)
    let afterwards = lock.withLock { () -> (@Sendable () -> Void)? in
      state.running = 0
      defer { state.afterwards = nil }
      return state.afterwards
    }
    afterwards?()
  }

  fileprivate func cancel(_ watch: EventWatch, _ then: @escaping @Sendable () -> Void) {
    let (poller, isRunning) = lock.withLock { () -> (Poller?, Bool) in
      guard state.watches.removeValue(forKey: watch.token) != nil else { return (nil, false) }
      let isRunning = state.running == watch.token
      if isRunning { state.afterwards = then }
      return (state.poller, isRunning)
    }
    guard let poller else { return }
    poller.remove(watch.descriptor)
    if !isRunning { then() }
  }
}

/// One descriptor of ours that the event thread watches. Letting go of it changes nothing: it is ended by `cancel`.
final class EventWatch: Sendable {
  fileprivate let token: UInt64
  fileprivate let descriptor: Int32
  fileprivate let handler: @Sendable (Poller.Events) -> Void

  fileprivate init(token: UInt64, descriptor: Int32, handler: @escaping @Sendable (Poller.Events) -> Void) {
    (self.token, self.descriptor, self.handler) = (token, descriptor, handler)
  }

  /// Ends the watch. Once `then` is called the handler does not run any more, and the descriptor may be closed: at once, or, when
  /// the handler runs meanwhile, on the event thread after it. A second call does nothing.
  func cancel(then: @escaping @Sendable () -> Void = {}) { EventThread.shared.cancel(self, then) }
}
