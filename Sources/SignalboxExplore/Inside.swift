// Inside.swift: what the engine and the core tell an exploration in this process, on threads that it controls.
import CSignalboxExplore
import CSignalboxExploreInside
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxSystem

/// The explorer as the engine sees it. One exploration at a time has threads.
final class Inside: ExplorerLink.Inside {
  // SAFETY: written by the body's thread before any other of its run begins; nothing else reads it.
  nonisolated(unsafe) static var current: BodyRunner?

  private static let installed: Void = ExplorerLink.install(Inside())
  /// From now on threads with a private engine come here.
  static func install() { _ = installed }

  func pass(_ primitive: Int, object: UInt, count: UInt64) {
    switch EnginePrimitive(rawValue: primitive) {
    case .groupEnter: Self.current?.entered(object, 1)
    case .groupLeave: Self.current?.entered(object, -Int(count))
    default: break
    }
    sbx_inside_point(UInt32(truncatingIfNeeded: primitive), UInt64(object), 0)
  }

  func fail(_ report: () -> String) -> Never {
    guard let current = Self.current else { Misuse.stop("a thread is explored, and there is no exploration") }
    current.failWithReport(report)
  }

  static func begins() { current?.begins() }
  static func over() { current?.isOver() }
}

/// Objects in words.
enum ExploredNames {
  static func group(_ address: UInt) -> String {
    "group \(LockNames.name(of: address).map { "\"\($0)\"" } ?? "0x" + String(address, radix: 16))"
  }
}
