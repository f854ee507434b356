// CoreInspection.swift: `signalbox inspect --core FILE PROGRAM`: what a process was doing when its core dump was written.
import SignalboxSystem

/// The inspections of a core dump.
public struct CoreInspection: Sendable {
  /// One for each copy of Signalbox in it.
  public let inspections: [Inspection]
  /// The number and the name of the process.
  public let process: Int32, name: String

  /// Reads the core dump in `file` of a process that ran `program`.
  public init(_ file: String, program: String) throws(InspectRefusal) {
    let core = try CoreProcess(file, program: program)
    (process, name) = (core.id, core.name)
    inspections = try RemoteInspection.all(in: core, "the process of \(file)")
  }
}
