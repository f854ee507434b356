// BothWays.swift: a program run to its end, as it is or on Signalbox's library, and timed. Becoming a program is
// Launch.swift.
import SignalboxSystem

/// Runs programs that lie beside the running command, or in another folder, on either library.
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
  /// Where the programs lie; nil: beside the command.
  private let folder: RawString?

  /// Finds the library and makes the folder for it.
  ///
  /// - Parameter folder: where the programs lie; nil: beside the running command.
  /// - Throws: a refusal if one of them is not to be had.
  public init(in folder: RawString? = nil) throws(Refusal) {
    self.folder = folder
    library = try Library.find()
    let environment = EnvironmentList(ProcessInput.environment)
    let ours = try PrivateFolder(for: library).prepare(environment, .session, isSecure: ProcessInput.isSecure)
    (plain, switched) = (environment, environment.switched(to: ours))
    command = try Neighbour.path("signalbox")
  }

  /// Makes sure, by the loader's own word, that the program gets the library that it should get either way.
  public func check(_ name: String) throws(Refusal) {
    let program = try path(name)
    guard Files.mayExecute(program) else {
      throw Refusal(
        .programNotFound, "\(program) is missing" + (folder == nil ? ": build it with Scripts/build Benchmarks" : ""))
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

  private func path(_ name: String) throws(Refusal) -> RawString {
    if let folder { return folder + "/" + RawString(name) }
    return try Neighbour.path(name)
  }

  private func words(_ name: String, _ arguments: [String], _ way: Way) throws(Refusal) -> [RawString] {
    let program = [try path(name)] + arguments.map { RawString($0) }
    return way == .throughCommand ? [command, "run", "--"] + program : program
  }

  /// Runs the program to its end, or for `nanoseconds` at most, whatever its end.
  ///
  /// - Parameter each: called with what has been printed so far, ten times a second; false ends the program.
  /// - Throws: a refusal if it cannot be started.
  public func watch(
    _ name: String, _ arguments: [String] = [], _ way: Way, nanoseconds: UInt64, each: ([UInt8]) -> Bool
  ) throws(Refusal) -> Programs.Watched {
    let words = try words(name, arguments, way)
    do throws(SystemError) {
      return try Programs.watch(
        words[0], arguments: words, environment: (way == .switched ? switched : plain).entries, nanoseconds: nanoseconds,
        each: each)
    } catch {
      throw Refusal(.programNotRunnable, "\(words[0]) cannot be run: \(error.words)")
    }
  }

  /// Runs `signalbox` itself with these arguments, like `watch`.
  public func command(
    _ arguments: [String], nanoseconds: UInt64, each: ([UInt8]) -> Bool
  ) throws(Refusal) -> Programs.Watched {
    do throws(SystemError) {
      return try Programs.watch(
        command, arguments: [command] + arguments.map { RawString($0) }, environment: plain.entries, nanoseconds: nanoseconds,
        each: each)
    } catch {
      throw Refusal(.programNotRunnable, "\(command) cannot be run: \(error.words)")
    }
  }

  /// Runs the program as it is until it prints its first line, then `signalbox inspect` on it; the program ends with
  /// that.
  ///
  /// The command takes the shell's place, and so is the program's parent: some systems let no other process read it.
  public func inspect(_ name: String, nanoseconds: UInt64, each: ([UInt8]) -> Bool) throws(Refusal) -> Programs.Watched {
    let script = "mkfifo \"$3\" && { \"$1\" >\"$3\" 2>&1 & } && read -r ready <\"$3\" && exec \"$2\" inspect $!"
    let program = try path(name)
    let words: [RawString] = ["/bin/sh", "-c", RawString(script), "sh", program, command, program + ".ready"]
    do throws(SystemError) {
      return try Programs.watch(
        words[0], arguments: words, environment: plain.entries, nanoseconds: nanoseconds, each: each)
    } catch {
      throw Refusal(.programNotRunnable, "/bin/sh cannot be run: \(error.words)")
    }
  }

  /// Runs the program to its end, for 30 seconds at most.
  ///
  /// - Throws: a refusal if it cannot be started, or does not exit with 0.
  public func run(_ name: String, _ arguments: [String], _ way: Way) throws(Refusal) -> Run {
    let words = try words(name, arguments, way)
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
