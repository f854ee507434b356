// Thread+Kernel.swift: what of a thread is the kernel's: its stack's size, how much it is preferred, its sleep until a
// point in time.
import Foundation
import SignalboxLocks
import SignalboxSystem

extension Thread {
  /// Whole pages, not less than the system takes; nil: unusable.
  final func usableStack(_ bytes: Int) -> Int? {
    Self.usableStack(bytes, page: Threads.pageSize, least: Threads.leastStack)
  }

  /// The same for a machine with such pages and such a least stack.
  static func usableStack(_ bytes: Int, page: Int, least: Int) -> Int? {
    guard bytes >= least, bytes <= 1 << 40 else { return nil }
    return (bytes + page - 1) / page * page
  }

  // MARK: priorities

  /// The niceness that a priority from 0 to 1 stands for: 0.5 is the usual.
  static func niceness(of priority: Double) -> Int {
    let priority = min(max(priority, 0), 1)
    return priority < 0.5 ? Int((38 * (0.5 - priority)).rounded()) : -Int((40 * (priority - 0.5)).rounded())
  }

  static func priority(of niceness: Int) -> Double {
    niceness > 0 ? 0.5 - Double(niceness) / 38 : 0.5 - Double(niceness) / 40
  }

  static func niceness(of quality: QualityOfService) -> Int {
    switch quality {
    case .background: 10
    case .utility: 5
    default: 0
    }
  }

  /// Whether another than the usual one was set: a thread of which no code asks anything keeps what it has inherited.
  final var asksForPriority: Bool { lock.withLock { priority != 0.5 || quality != .default } }

  /// Asks the kernel for what was set: the lower of the two. What it refuses stays as it was.
  final func applyPriority() {
    let id = Int32(bitPattern: kernelID.loadRelaxed())  // relaxed: a thread that starts meanwhile asks for itself
    guard id != 0 else { return }
    let wanted = lock.withLock { max(Self.niceness(of: priority), Self.niceness(of: quality)) }
    guard Threads.niceness(ofThread: id) != wanted else { return }
    try? Threads.setNiceness(wanted, ofThread: id)
  }

  /// The thread's current priority in the kernel; nil while it does not run.
  ///
  /// ```swift
  /// let thread = Thread { print(Thread.current.grantedPriority ?? 0) }
  /// thread.threadPriority = 0.2
  /// thread.start()  // prints about 0.2; raising a priority above 0.5 needs a privilege
  /// ```
  public final var grantedPriority: Double? {
    let id = Int32(bitPattern: kernelID.loadRelaxed())  // relaxed: a hint, the thread may end at any moment
    return id == 0 ? nil : Threads.niceness(ofThread: id).map(Self.priority(of:))
  }
}

// MARK: a thread that does nothing until a point in time, exactly

enum ThreadSleep {
  /// Returns at `deadline`, and not before; the pool hears of it if the caller is a worker.
  static func until(_ deadline: ParkDeadline) {
    let word = Atomic32(0)
    BlockingHook.around(longWait: true) {
      withUnsafePointer(to: word) { word in
        while Parking.park(word, expected: 0, deadline: deadline) != .timedOut {}
      }
    }
  }
}
