// BothWays.swift: a program run to its end, as it is or on Signalbox's library, and timed. Becoming a program is Launch.swift.
import SignalboxSystem

/// Runs programs that lie beside the running command, on either library.
public struct BothWays {
  /// Which library, and how the program comes to it.
  public enum Way: Sendable {
    /// The toolchain's: the program as it is.
    case asItIs
    /// Signalbox's, by the loader's variable.
    case switched
    /// Signalbox's, through `signalbox run`.
    case throughCommand
  }

  /// What became of a program.
  public struct Run: Sendable {
    /// What it printed on both streams, as text.
    public let text: String
    /// From before it was started to after its end.
    public let nanoseconds: Double
  }

  private let command: RawString
  private let plain: EnvironmentList
  private let switched: EnvironmentList
  private let library: Library

  /// Finds the library and makes the folder for it.
  ///
  /// - Throws: a refusal if one of them is not to be had.
  public init() throws(Refusal) {
    library = try Library.find()
    let environment = EnvironmentList(ProcessInput.environment)
    let folder = try PrivateFolder(for: library).prepare(environment, .session, isSecure: ProcessInput.isSecure)
    (plain, switched) = (environment, environment.switched(to: folder))
    command = try Neighbour.path("signalbox")
  }

  /// Makes sure, by the loader's own word, that the program gets the library that it should get either way.
  public func check(_ name: String) throws(Refusal) {
    let program = try Neighbour.path(name)
    guard Files.mayExecute(program) else {
      throw Refusal(.programNotFound, "\(program) is missing: build it with Scripts/build Benchmarks")
    }
    let kind = ProgramKind(program, search: ProgramSearch(path: nil))
    let ours = Findings(program, kind, library, before: plain, after: switched)
    if let refusal = ours.refusal { throw refusal }
    if ours.dispatch != .ours || !ours.warnings.isEmpty {
      throw Refusal(.programNotRunnable, ours.warnings.first ?? "\(program) does not run on \(library.path)")
    }
    guard case .other = Findings(program, kind, library, before: plain, after: plain).dispatch else {
      throw Refusal(
        .programNotRunnable, "\(program), as it is, does not run on the toolchain's library: unset LD_LIBRARY_PATH")
    }
  }

  /// Runs the program to its end, for 30 seconds at most.
  ///
  /// - Throws: a refusal if it cannot be started, or does not exit with 0.
  public func run(_ name: String, _ arguments: [String], _ way: Way) throws(Refusal) -> Run {
    var words = [try Neighbour.path(name)] + arguments.map { RawString($0) }
    if way == .throughCommand { words = [command, "run", "--"] + words }
    let start = Clock.uptime()
    let printed: Programs.Printed
    do throws(SystemError) {
      printed = try Programs.output(
        of: words[0], arguments: words, environment: (way == .switched ? switched : plain).entries, seconds: 30)
    } catch {
      throw Refusal(.programNotRunnable, "\(words[0]) cannot be run: \(error.words)")
    }
    let run = Run(text: String(decoding: printed.bytes, as: UTF8.self), nanoseconds: Double(Clock.uptime() - start))
    guard printed.status == 0 else {
      let how = printed.status.map { "status \($0)" } ?? "a signal, or after 30 s"
      throw Refusal(.programNotRunnable, "\(name) \(arguments.joined(separator: " ")) ended with \(how): \(run.text)")
    }
    return run
  }
}
