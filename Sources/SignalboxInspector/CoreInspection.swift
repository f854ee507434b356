// CoreInspection.swift: `signalbox inspect --core FILE PROGRAM`: what a process was doing when its core dump was written.
import SignalboxSystem

/// The inspections of a core dump.
public struct CoreInspection: Sendable {
  /// One for each copy of Signalbox in it.
  public let inspections: [Inspection]
  /// The number and the name of the process.
  public let process: Int32, name: String
  /// What the core dump lacks because it is cut off or damaged, in words.
  public let damage: [String]

  /// Reads the core dump in `file` of a process that ran `program`.
  public init(_ file: String, program: String) throws(InspectRefusal) {
    let core = try CoreProcess(file, program: program)
    (process, name, damage) = (core.id, core.name, core.damage)
    do throws(InspectRefusal) {
      let copies = try RemoteInspection.all(in: core, "the process of \(file)"), stacks = core.stacks
      let made = copies.map { Inspection($0, stacks: stacks) }
      inspections = Inspection.withTasks(BothLibraries(copies, in: core)?.inspections(made, stacks: stacks) ?? made, core)
    } catch {
      guard error.kind == .foreign else { throw error }
      inspections = Inspection.withTasks([ToolchainInspection(core).inspection(stacks: core.stacks)], core)
    }
  }
}

extension Inspection {
  /// How much of what was read is missing, in one line; nil if nothing is.
  ///
  /// - Parameter damage: what the file lacks, in words.
  public static func loss(_ inspections: [Inspection], _ damage: [String] = []) -> String? {
    let lost = inspections.reduce(0) { $0 + $1.lost }
    let pieces = lost == 0 ? [] : ["\(lost) \(lost == 1 ? "piece" : "pieces") that \(lost == 1 ? "makes" : "make") no sense"]
    let all = damage + pieces
    return all.isEmpty ? nil : "what is whole was shown; missing: \(all.joined(separator: ", "))"
  }
}
