// Machine.swift: what the reader must know of the machine to weigh the figures.
import Glibc

/// The machine the figures come from.
public struct Machine: Sendable, Equatable {
  /// Processors this process may use.
  public let processors: Int
  /// Runnable threads over the last minute, before the bench began.
  public let load: Double
  /// The kernel's release.
  public let kernel: String
  /// The processor's architecture.
  public let architecture: String

  /// Describes a machine.
  public init(processors: Int, load: Double, kernel: String, architecture: String) {
    self.processors = processors
    self.load = load
    self.kernel = kernel
    self.architecture = architecture
  }

  /// True if other programs kept a quarter of the processors busy, so that the figures are less sure.
  public var isBusy: Bool { load > Double(processors) / 4 }

  /// This machine, now.
  public static func current() -> Machine {
    var loads = [0.0]
    getloadavg(&loads, 1)
    var name = utsname()
    uname(&name)
    return Machine(
      processors: max(1, usableProcessors().count), load: loads[0], kernel: string(name.release),
      architecture: string(name.machine))
  }

  /// Text in one of the C library's fixed-size fields.
  private static func string<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
