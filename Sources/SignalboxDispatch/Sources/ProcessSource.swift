// ProcessSource.swift: a source for what happens to a process: its end by a descriptor of the process, its forks and execs by the
// kernel's news of all processes (ProcessNews.swift), its signals if it is the program itself.
import SignalboxSystem

package final class ProcessCore: EventFlagsCore, @unchecked Sendable {
  // SAFETY of @unchecked: the variables are written by start(), and read by stop(), which comes after it.
  typealias Event = DispatchSource.ProcessEvent

  /// What was found under the number when the source was made: from then on the number may be given to others.
  private enum Subject {
    case process(ProcessDescriptor)
    case gone
    case refused(SystemError)
  }

  private let subject: Subject
  private var exitWatch: EventSubscription?
  private var follower: ProcessFollower?
  private var signals: [any DispatchSourceSignal] = []

  package init(_ id: Int32, _ mask: DispatchSource.ProcessEvent, target: DispatchQueue) {
    do {
      subject = try ProcessDescriptor.open(id).map { .process($0) } ?? .gone
    } catch {
      subject = .refused(error)
    }
    super.init(kind: "process", target: target, handle: UInt(truncatingIfNeeded: Int(id)), mask: mask.rawValue)
  }

  private var events: Event { Event(rawValue: mask) }

  override func start() {
    switch subject {
    case .gone: deliver(Event.exit.rawValue)
    case .refused(let error): refuse(SourceRefusal("the events of process \(handle)", error), .isCancelled)
    case .process(let process):
      if events.contains(.signal) { watchSignals(process) }
      if !events.isDisjoint(with: [.fork, .exec]) { watchNews(process) }
      if events.contains(.exit) { watchEnd(process) }
    }
  }

  override func stop() {
    if let follower { ProcessNews.shared.leave(follower) }
    endSignals {
      // The descriptor lives as long as the core.
      if let watch = self.exitWatch { watch.cancel { self.stopped() } } else { self.stopped() }
    }
  }

  private func watchEnd(_ process: ProcessDescriptor) {
    do {
      exitWatch = try EventThread.shared.watch(process.descriptor, for: [.readable, .oneShot]) { [weak self] _ in
        self?.hasEnded()
      }
    } catch {
      let isAll = events.isSubset(of: [.exit])
      refuse(SourceRefusal("the end of process \(process.id)", error), isAll ? .isCancelled : .staysForOtherEvents)
    }
  }

  /// On the event thread, once.
  private func hasEnded() {
    // What it did before comes first.
    if !events.isDisjoint(with: [.fork, .exec]) { ProcessNews.shared.handOut() }
    deliver(Event.exit.rawValue)
  }

  private func watchNews(_ process: ProcessDescriptor) {
    let follower = ProcessFollower(process) { [weak self] in self?.deliver($0.rawValue) }
    do {
      try ProcessNews.shared.join(follower)
      self.follower = follower
    } catch {
      let isAll = events.isSubset(of: [.fork, .exec])
      refuse(
        SourceRefusal("fork and exec of process \(process.id)", error), isAll ? .isCancelled : .staysForOtherEvents)
    }
  }

  /// A source for each signal that the program goes on after; each tells us that its signal came.
  private func watchSignals(_ process: ProcessDescriptor) {
    guard process.id == ProcessDescriptor.own else {
      let isAll = events.isSubset(of: [.signal])
      let refusal = SourceRefusal(events: "signals of process \(process.id)", reason: .anotherProcess)
      return refuse(refusal, isAll ? .isCancelled : .staysForOtherEvents)
    }
    signals = DeliveredSignals.now.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [weak self] in self?.deliver(Event.signal.rawValue) }
      source.activate()
      return source
    }
  }

  /// Calls `then` when no signal source tells us any more.
  private func endSignals(then: @escaping @Sendable () -> Void) {
    let last = signals
    signals = []
    guard !last.isEmpty else { return then() }
    let group = DispatchGroup()
    for source in last {
      group.enter()
      source.setCancelHandler { group.leave() }
      source.cancel()
    }
    group.notify(queue: GlobalQueues.queue(for: .default)) { then() }
  }
}

extension DispatchSource {
  /// Makes a source for events of a process, whoever its user or parent is.
  ///
  /// The source follows the process that has the identifier now, never a later one with the same number. It does not reap the
  /// process: its status stays available to `waitpid`. A process that has already ended gives `.exit` at once, reaped or not.
  ///
  /// - Parameters:
  ///   - identifier: the process identifier, greater than zero.
  ///   - eventMask: the events to report. `.exit` always works. `.fork` and `.exec` need Linux 6.6 or CAP_NET_ADMIN, and never
  ///     work in a container's process namespace. `.signal` works for the program's own process only, and only for signals that
  ///     are handled or ignored when the source is activated, or that do nothing by default. A refused event is reported on
  ///     standard error and in `refusal`; if all events are refused, the source is cancelled.
  ///   - queue: where handlers run; nil means the default global queue.
  /// - Note: Several events of one process may be merged into one call; `.exit` is the last.
  public class func makeProcessSource(
    identifier: Int32, eventMask: DispatchSource.ProcessEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceProcess {
    ObjectKinds.makeOrStop(.process, UInt(truncatingIfNeeded: Int(identifier)), eventMask.rawValue, queue)
  }

  /// Checks whether a process source with this mask gets all of its events on this machine.
  ///
  /// ```swift
  /// do {
  ///   try DispatchSource.checkProcessSource(identifier: 1, eventMask: [.fork, .exit])
  /// } catch {
  ///   print("forks of process 1 are not reported:", error)
  /// }
  /// ```
  ///
  /// - Throws: a `SourceRefusal` that says which events are missing, why, and what to do about it.
  public class func checkProcessSource(
    identifier: Int32, eventMask: DispatchSource.ProcessEvent
  ) throws(SourceRefusal) {
    do { _ = try ProcessDescriptor.open(identifier) } catch {
      throw SourceRefusal("the events of process \(identifier)", error)
    }
    if eventMask.contains(.signal), identifier != ProcessDescriptor.own {
      throw SourceRefusal(events: "signals of process \(identifier)", reason: .anotherProcess)
    }
    guard !eventMask.isDisjoint(with: [.fork, .exec]) else { return }
    do { _ = try ProcessConnector() } catch {
      throw SourceRefusal("fork and exec of process \(identifier)", error)
    }
  }
}
