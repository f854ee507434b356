// Theirs.swift: the main queue of the toolchain's Dispatch, under names that do not clash. Signalbox's is Ours.swift.
import Dispatch

/// The toolchain's library.
public enum Theirs {
  static func async(_ body: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: body) }
  static func sync(_ body: @Sendable () -> Void) { DispatchQueue.main.sync(execute: body) }
  static func onWorker(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: body) }
  static func checkIsOnMain() { dispatchPrecondition(condition: .onQueue(.main)) }

  /// Their `dispatchMain()`.
  public static func dispatchMain() -> Never { Dispatch.dispatchMain() }
}
