// Toolchain.swift: a queue of the toolchain's own library in this program, as a dependency may have one.
import Dispatch

enum Toolchain {
  private static let queue = Dispatch.DispatchQueue(label: "probe.toolchain")
  static func async(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }
  static func sync(_ body: () -> Void) { queue.sync { body() } }
}
