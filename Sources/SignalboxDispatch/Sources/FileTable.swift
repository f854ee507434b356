// FileTable.swift: all monitored files of the program behind one inotify descriptor, which exists while there are any. What is
// known of each file is FileInstance.swift, what notices mean FileEvents.swift.
//
// The table's lock guards the instance and everything in it. Events are handed out after the lock is released, so a observer that
// leaves may get one more event while it does; a source that is cancelled checks nothing.
import SignalboxLocks
import SignalboxSystem

/// One source's interest in one file. Guarded by the table's lock, but for the constants.
final class FileObserver: @unchecked Sendable {
  // SAFETY of @unchecked: the variables are touched under the table's lock only.
  typealias Event = DispatchSource.FileSystemEvent

  /// The user's own descriptor: it says which file, and is asked for the file's facts.
  let descriptor: Int32
  let mask: Event
  let facts: FileFacts
  /// Names the source in messages.
  let label: @Sendable () -> String
  let deliver: @Sendable (Event) -> Void

  /// The inotify watch; nil before joining, after leaving, and when the file is gone.
  var watch: Int32?
  /// The name that the descriptor was opened by, as it was at the last check.
  var name: RawString = ""
  /// The mount that the descriptor was opened through, until it is gone.
  var mount: UInt64?
  var isReported = false

  init(
    descriptor: Int32, mask: Event, facts: FileFacts, label: @escaping @Sendable () -> String,
    deliver: @escaping @Sendable (Event) -> Void
  ) {
    self.descriptor = descriptor
    self.mask = mask
    self.facts = facts
    self.label = label
    self.deliver = deliver
  }

  /// The file's facts, unless the descriptor was closed; its number may then name another file.
  var current: FileFacts? { FileFacts(descriptor: descriptor).flatMap { $0.identity == facts.identity ? $0 : nil } }

  /// The program closed the descriptor: reported once, because no more events can be delivered.
  func reportClosed() {
    if isReported { return }
    isReported = true
    Misuse.report(
      "the descriptor \(descriptor) of a file system object source (\(label())) was closed before the source was cancelled; it "
        + "gets no further events: close it in the cancel handler")
  }
}

final class FileTable: @unchecked Sendable {
  // SAFETY of @unchecked: `instance` is guarded by `lock`.
  static let shared = FileTable()

  /// What is to be told to whom.
  typealias Delivery = (observer: FileObserver, events: FileObserver.Event)

  private let lock = UnfairLock()
  private var instance: FileInstance?

  /// Begins to monitor. What happened before is not reported.
  ///
  /// - Throws: `SystemError` when the limits of inotify are met (EMFILE, ENOSPC), when the file may not be read (EACCES), or its
  ///   descriptor is not open any more (EBADF). The observer is as before then.
  func join(_ observer: FileObserver) throws(SystemError) {
    var deliveries: [Delivery] = []
    defer { for delivery in deliveries { delivery.observer.deliver(delivery.events) } }
    try lock.withLock { () throws(SystemError) in
      let instance = try used()
      // What waits belongs to those who monitor already.
      deliveries = instance.collect()
      defer { closeIfUnused(instance) }
      try instance.add(observer)
    }
  }

  /// Ends what `join` began. No effect on a observer that has not joined.
  func leave(_ observer: FileObserver) {
    lock.withLock {
      guard let instance else { return }
      instance.remove(observer)
      closeIfUnused(instance)
    }
  }

  private func used() throws(SystemError) -> FileInstance {
    if let instance { return instance }
    let made = try FileInstance()
    try made.beginEvents(
      notices: { [self] in handOut(made) { $0.collect() } }, mounts: { [self] in handOut(made) { $0.collectRevoked() } })
    instance = made
    return made
  }

  private func closeIfUnused(_ instance: FileInstance) {
    guard instance.isUnused else { return }
    self.instance = nil
    instance.endEvents()
  }

  /// On the event thread: something waits.
  private func handOut(_ known: FileInstance, _ collect: (FileInstance) -> [Delivery]) {
    // An instance that is closed meanwhile tells nobody.
    let deliveries = lock.withLock { instance === known ? collect(known) : [] }
    for delivery in deliveries { delivery.observer.deliver(delivery.events) }
  }

  /// How many files and folders are monitored, parents included.
  var testsOnly_watchCount: Int { lock.withLock { instance?.watchCount ?? 0 } }
  /// Takes what waits; has everything checked again, as after lost notices.
  func testsOnly_collect(isOverflowing: Bool = false) {
    let deliveries = lock.withLock { instance?.collect(isOverflowing: isOverflowing) ?? [] }
    for delivery in deliveries { delivery.observer.deliver(delivery.events) }
  }
}
