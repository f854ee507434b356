// DescriptorTable.swift: the program's descriptors that somebody waits for, by number. What happens to one of them is
// DescriptorEntry.swift; descriptors of our own are EventThread's.
import SignalboxLocks
import SignalboxSystem

/// What a descriptor is waited for.
enum DescriptorDirection: Sendable { case readable, writable }

/// What a subscription gets: once for each `rearm()`.
enum DescriptorEvent: Sendable {
  /// It is ready, or at its end: what the kernel saw.
  case ready(Poller.Events)
  /// It never lets anybody wait: a file on a disk, or a device that the kernel cannot wait for.
  case always
  /// It was closed while it was monitored, or was never open. The last thing that a subscription gets.
  case closed
  /// The system cannot monitor it now. Nothing is armed; `rearm()` tries again.
  case failed(SystemError)
}

/// What an event of the kernel carries: which descriptor, and which of the registrations that its number has had.
enum DescriptorToken {
  private static let mark: UInt64 = 1 << 63
  static func make(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
    mark | UInt64(generation & 0x7FFF_FFFF) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }
  static func isOne(_ token: UInt64) -> Bool { token & mark != 0 }
  static func descriptor(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }
}

/// Any number of subscriptions for any descriptor.
final class DescriptorTable: @unchecked Sendable {
  // SAFETY of @unchecked: the list is guarded by `lock`; entries guard themselves, and live forever.
  static let shared = DescriptorTable()

  private let lock = UnfairLock()
  private var entries: [DescriptorEntry?] = []

  private init() {
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    let place = withUnsafeMutablePointer(to: &entries) { UInt(bitPattern: $0) }
    DescriptorDescription.write(table: address, entries: place)
  }

  /// A subscription for one direction of a descriptor, of zero or more; not armed.
  ///
  /// - Parameters:
  ///   - label: whose it is, for the message that the descriptor was closed too early; nil: it is not reported.
  ///   - callback: called once for each `rearm()`, when the descriptor is ready: on the event thread, or, when there is nothing
  ///     to wait for, inside of `rearm()`: then it must not rearm by itself. To be brief; it may call `cancel`, and `rearm()` else.
  func watch(
    _ descriptor: Int32, _ direction: DescriptorDirection, label: String?,
    _ callback: @escaping @Sendable (DescriptorEvent) -> Void
  ) -> DescriptorSubscription {
    precondition(descriptor >= 0, "no descriptor is negative")
    let watch = DescriptorSubscription(entry(descriptor), direction, label: label, callback)
    watch.entry.add(watch)
    return watch
  }

  /// The entry of a number, made at first need. What is not open gets one that nobody shares: the list has room for numbers that
  /// the system gives out, not for any.
  private func entry(_ descriptor: Int32) -> DescriptorEntry {
    guard DescriptorStatus(of: descriptor) != nil else { return DescriptorEntry(descriptor) }
    return lock.withLock {
      let index = Int(descriptor)
      if index >= entries.count {
        entries.append(contentsOf: repeatElement(nil, count: max(index + 1, 2 * entries.count) - entries.count))
      }
      if let entry = entries[index] { return entry }
      let entry = DescriptorEntry(descriptor)
      entries[index] = entry
      return entry
    }
  }

  /// How many descriptors are monitored for the program.
  var watchedCount: Int { lock.withLock { entries.compactMap { $0 } }.count { $0.isWatched } }

  /// The event thread: the kernel has seen something.
  func deliver(_ token: UInt64, _ events: Poller.Events) {
    let index = DescriptorToken.descriptor(token)
    let entry = lock.withLock { index < entries.count ? entries[index] : nil }
    entry?.deliver(token, events)
  }
}

/// Somebody who waits for a descriptor, in one direction.
final class DescriptorSubscription: @unchecked Sendable {
  // SAFETY of @unchecked: what changes is guarded by the entry's lock.

  /// What does not change. A variable, since only that has an address, which readers from outside need.
  struct Facts {
    let label: String?
    let direction: DescriptorDirection
  }
  // Unchecked: it is written once, here.
  @exclusivity(unchecked) private var facts: Facts
  var label: String? { facts.label }
  var direction: DescriptorDirection { facts.direction }
  fileprivate(set) var state: State
  let entry: DescriptorEntry

  /// Guarded by the entry's lock.
  struct State {
    var callback: (@Sendable (DescriptorEvent) -> Void)?
    /// Waits for an event.
    var isArmed = false
    /// In the entry's list: neither cancelled nor told that the descriptor is closed.
    var isListed = false
    /// Callbacks that are due or under way.
    var running = 0
    /// What is to be called when none is.
    var afterwards: (@Sendable () -> Void)?
  }

  fileprivate init(
    _ entry: DescriptorEntry, _ direction: DescriptorDirection, label: String?,
    _ callback: @escaping @Sendable (DescriptorEvent) -> Void
  ) {
    (self.entry, facts) = (entry, Facts(label: label, direction: direction))
    state = State(callback: callback)
  }

  var descriptor: Int32 { entry.descriptor }

  /// One that nothing has: for learning where in it its words lie.
  static func sample() -> DescriptorSubscription {
    DescriptorSubscription(DescriptorEntry(0), .writable, label: "a sample") { _ in }
  }

  /// The address of what does not change.
  var placeOfFacts: UInt { withUnsafeMutablePointer(to: &facts) { UInt(bitPattern: $0) } }

  /// Asks for one event. Without effect while one is asked for, and once the subscription has ended.
  func rearm() { entry.rearm(self) }

  /// Ends the subscription. Once `then` is called the callback does not run any more, and the descriptor is not monitored for us: at once,
  /// or after a callback that is running. To be called once.
  func cancel(then: @escaping @Sendable () -> Void) { entry.cancel(self, then) }

  /// What the descriptor is now; nil when it was closed since the subscription began, or its number is another file's. The callback is
  /// told so then.
  func status() -> DescriptorStatus? { entry.checkedStatus() }

  /// For the entry, under its lock.
  func change<R>(_ body: (inout State) -> R) -> R { body(&state) }
}
