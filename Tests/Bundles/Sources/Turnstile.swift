// Turnstile.swift: who waits until the doors open.
import Foundation

/// Doors that open once.
public final class Turnstile: @unchecked Sendable {
  private let condition = NSCondition()
  // SAFETY: read and written under `condition` alone.
  private var isOpen = false

  /// With its doors closed.
  public init() {}

  /// Waits until the doors are open; false if they are not by then.
  public func pass(by limit: Date) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !isOpen { if !condition.wait(until: limit) { return isOpen } }
    return true
  }

  /// Lets all in.
  public func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }
}
