// CountDown.swift: tells a waiting caller that the last of many operations has run, on any thread, without either library.
import Synchronization

/// Counts operations down to zero and then wakes the waiter.
public final class CountDown: Sendable {
  private let left = Atomic<Int>(0)
  private let done = KernelSemaphore()

  /// A count-down that has not been armed.
  public init() {}

  /// Expects `count` hits; nothing may be outstanding.
  public func arm(_ count: Int) { left.store(count, ordering: .relaxed) }

  /// Counts one, or `amount`; the last hit wakes the waiter.
  public func hit(_ amount: Int = 1) {
    // acquiring-and-releasing: the last one to hit has seen everything the others did, and hands it to the waiter.
    if left.subtract(amount, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  /// Sleeps until the last hit.
  public func wait() { done.wait() }
}
