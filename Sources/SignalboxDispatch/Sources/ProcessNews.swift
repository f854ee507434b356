// ProcessNews.swift: the kernel's news of forks and execs, handed to those sources whose process they are of. One subscription
// for the whole program, while somebody follows.
import SignalboxLocks
import SignalboxSystem

/// One source's interest in one process.
final class ProcessFollower: Sendable {
  let process: ProcessDescriptor
  let deliver: @Sendable (DispatchSource.ProcessEvent) -> Void

  init(_ process: ProcessDescriptor, deliver: @escaping @Sendable (DispatchSource.ProcessEvent) -> Void) {
    (self.process, self.deliver) = (process, deliver)
  }
}

final class ProcessNews: @unchecked Sendable {
  // SAFETY of @unchecked: everything that changes is guarded by `lock`.
  static let shared = ProcessNews()

  private struct Subscription {
    let connector: ProcessConnector
    let watch: EventSubscription
  }
  private typealias Delivery = (follower: ProcessFollower, event: DispatchSource.ProcessEvent)

  private let lock = UnfairLock()
  private var subscription: Subscription?
  /// By the number of the process; an entry goes when its process ends, so that whoever gets the number next is not meant.
  private var followers: [Int32: [ProcessFollower]] = [:]

  /// Begins to follow: forks and execs from now on. Throws when the kernel keeps them from us.
  func join(_ follower: ProcessFollower) throws(ProcessConnector.Refusal) {
    var deliveries: [Delivery] = []
    defer { for delivery in deliveries { delivery.follower.deliver(delivery.event) } }
    try lock.withLock { () throws(ProcessConnector.Refusal) in
      if subscription == nil { subscription = try subscribe() }
      // What waits belongs to those who follow already.
      deliveries = collect()
      followers[follower.process.id, default: []].append(follower)
    }
  }

  /// Ends what `join` began.
  func leave(_ follower: ProcessFollower) {
    lock.withLock {
      followers[follower.process.id]?.removeAll { $0 === follower }
      if followers[follower.process.id]?.isEmpty == true { followers[follower.process.id] = nil }
      closeIfUnused()
    }
  }

  /// Hands out what waits.
  func handOut() {
    let deliveries = lock.withLock { collect() }
    for delivery in deliveries { delivery.follower.deliver(delivery.event) }
  }

  private func subscribe() throws(ProcessConnector.Refusal) -> Subscription {
    let connector = try ProcessConnector()
    do {
      let watch = try EventThread.shared.watch(connector.descriptor, for: .readable) { [self] _ in handOut() }
      return Subscription(connector: connector, watch: watch)
    } catch {
      throw .failed(error)
    }
  }

  private func closeIfUnused() {
    guard followers.isEmpty, let old = subscription else { return }
    subscription = nil
    old.watch.cancel { withExtendedLifetime(old.connector) {} }
  }

  private func collect() -> [Delivery] {
    var deliveries: [Delivery] = []
    subscription?.connector.read { notice in
      switch notice {
      case .forked(let parent, _): deliveries += followers[parent, default: []].map { ($0, .fork) }
      case .executed(let id): deliveries += followers[id, default: []].map { ($0, .exec) }
      // The last thread's end comes before anything that a process does which gets the number.
      case .ended(let id): followers[id]?.removeAll { $0.process.hasEnded }
      // What is lost may have been anybody's: all check.
      case .lost: deliveries += followers.values.flatMap { $0 }.map { ($0, [.fork, .exec]) }
      }
    }
    return deliveries
  }
}
