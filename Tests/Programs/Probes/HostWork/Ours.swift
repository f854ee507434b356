// Ours.swift: Signalbox's main queue, under names that do not clash. The toolchain's is Theirs.swift.
import Signalbox
import SignalboxSystem

/// Signalbox.
public enum Ours {
  static func async(_ body: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: body) }
  static func sync(_ body: @Sendable () -> Void) { DispatchQueue.main.sync(execute: body) }
  static func onWorker(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: body) }
  static func checkIsOnMain() { dispatchPrecondition(condition: .onQueue(.main)) }

  /// `dispatchMain()`.
  public static func dispatchMain() -> Never { Signalbox.dispatchMain() }

  /// A run loop of the program's own, over the main queue's descriptor.
  public static func serveDescriptor() -> Never {
    guard let descriptor = try? MainQueue.descriptor(), let poller = try? Poller() else { fatalError("no descriptor") }
    guard (try? poller.register(descriptor, for: .readable, token: 1)) != nil else { fatalError("cannot be monitored") }
    while true { poller.wait(untilUptime: nil) { _, _ in MainQueue.drain() } }
  }

  /// An item of the other main queue waits for ours, which cannot run before it ends.
  public static func syncInsideTheirs() { Theirs.async { sync {} } }

  /// A main-queue item of ours that gives the main thread to somebody else, from within our loop.
  public static func handOver(_ body: @escaping @Sendable () -> Void) -> Never {
    DispatchQueue.main.async(execute: body)
    Signalbox.dispatchMain()
  }
}
