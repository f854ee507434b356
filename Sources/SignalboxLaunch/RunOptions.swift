// RunOptions.swift: the command lines of `signalbox run` and `signalbox env`: what may be written and what is refused.
import SignalboxSystem

/// The command line of `signalbox run`.
public struct RunOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Become the program whose name is the argument with this number, counted from 0 behind the word `run`.
    case run(programIndex: Int)
  }

  /// What is to be done.
  public var action: Action
  /// Say which library the loader will use.
  public var isVerbose = false
  /// The period of the stall detector: seconds in which nothing has moved; nil: as the environment says.
  public var stallPeriod: String?
  /// The file that gets reports of deadlocks as JSON, too; nil: as the environment says.
  public var jsonFile: String?

  /// The file of a recording; nil: as the environment says.
  public var recordFile: String?
  /// The seconds of a flight recording; nil: as the environment says.
  public var flightSeconds: String?

  /// How long an item of the main queue may run before it is reported, in milliseconds; nil: as the environment says.
  public var mainLimit: String?

  /// What the options change in the program's environment.
  public var variables: [String: String] {
    var changes: [String: String] = [:]
    changes[StallPeriod.variable] = stallPeriod
    changes[Self.jsonVariable] = jsonFile
    changes[Instruments.recordVariable] = recordFile
    changes[FlightPeriod.variable] = flightSeconds
    changes[MainLimit.variable] = mainLimit
    return changes
  }
  static let jsonVariable = "SIGNALBOX_DEADLOCK_JSON"

  /// Reads the arguments behind the word `run`. Options end at `--` or at the program's name.
  public init(_ arguments: [String]) throws(Refusal) {
    action = .help
    for (index, argument) in arguments.enumerated() {
      switch argument {
      case "--help", "-h": return
      case "--verbose", "-v": isVerbose = true
      case "--watch": stallPeriod = StallPeriod.standard
      case _ where argument.hasPrefix("--watch="): stallPeriod = try Self.period(argument)
      case "--json", "--json=": throw Refusal(.usage, "--json needs a file: --json=FILE")
      case _ where argument.hasPrefix("--json="): jsonFile = String(argument.dropFirst(7))
      case "--record", "--record=": throw Refusal(.usage, "--record needs a file: --record=FILE")
      case _ where argument.hasPrefix("--record="): recordFile = String(argument.dropFirst(9))
      case "--flight": flightSeconds = FlightPeriod.standard
      case _ where argument.hasPrefix("--flight="): flightSeconds = try Self.flight(argument)
      case "--main-limit", "--main-limit=": throw Refusal(.usage, "--main-limit needs a limit: --main-limit=MILLISECONDS")
      case _ where argument.hasPrefix("--main-limit="): mainLimit = try Self.limit(argument)
      case "--":
        guard index + 1 < arguments.count else { throw Self.noProgram }
        action = .run(programIndex: index + 1)
        return
      default:
        guard !argument.hasPrefix("-") || argument == "-" else { throw unknownOption(argument) }
        action = .run(programIndex: index)
        return
      }
    }
    throw Self.noProgram
  }

  private static func period(_ argument: String) throws(Refusal) -> String {
    let text = String(argument.dropFirst("--watch=".count))
    guard StallPeriod.nanoseconds(text) != nil else {
      throw Refusal(.usage, "\(argument) is not \(StallPeriod.rule)")
    }
    return text
  }

  private static func flight(_ argument: String) throws(Refusal) -> String {
    let text = String(argument.dropFirst("--flight=".count))
    guard FlightPeriod.seconds(text) != nil else { throw Refusal(.usage, "\(argument) is not \(FlightPeriod.rule)") }
    return text
  }

  private static func limit(_ argument: String) throws(Refusal) -> String {
    let text = String(argument.dropFirst("--main-limit=".count))
    guard MainLimit.nanoseconds(text) != nil else { throw Refusal(.usage, "\(argument) is not \(MainLimit.rule)") }
    return text
  }

  private static var noProgram: Refusal { Refusal(.usage, "no program is named") }

  /// The help text.
  public static let help = """
    usage: signalbox run [--verbose] [--watch[=SECONDS]] [--main-limit=MILLISECONDS] [--json=FILE] [--record=FILE]
           [--flight[=SECONDS]] -- PROGRAM [ARGUMENT...]

    Runs PROGRAM, unmodified, with Signalbox in place of the toolchain's libdispatch: same process, streams, terminal,
    signals and exit status. A folder of yours that holds libdispatch.so is put in front of LD_LIBRARY_PATH;
    programs that PROGRAM starts inherit it. PROGRAM is searched for on PATH, as in a shell.

      --verbose, -v      report on standard error which library the loader takes (the loader itself is asked)
      --watch[=SECONDS]  report waits that nothing can end, once nothing has moved for SECONDS (default 5): semaphores never
                         signalled, groups never left, suspended queues with waiters, a pool whose threads all wait, a
                         main queue that no thread drains, operations that can never start (in programs that link
                         SignalboxFoundation); the same as SIGNALBOX_WATCH=SECONDS
      --main-limit=MS    report each item of the main queue that runs longer than MS milliseconds, while it runs, with its
                         stack; the same as SIGNALBOX_MAIN_LIMIT=MS
      --json=FILE        also write reports of deadlocks and misuse to FILE, one JSON object per line; the same as
                         SIGNALBOX_DEADLOCK_JSON=FILE
      --record=FILE      record what queues, locks and threads do; "signalbox summary FILE", "signalbox view FILE" and
                         "signalbox perfetto FILE OUT" read it; the same as SIGNALBOX_RECORD=FILE
      --flight[=SECONDS] record always, into a file of 64 MiB at most, of which the last seconds (10) are read; the file is that of
                         --record or signalbox-flight.PID; reports after which PROGRAM goes on have copies, FILE.report-N; the
                         same as SIGNALBOX_FLIGHT=SECONDS
      --help, -h         this text

    A certain deadlock stops PROGRAM with SIGABRT after its report, unless SIGNALBOX_DEADLOCK is report (it keeps waiting)
    or ignore. A deadlock is only suspected if a thread sleeps in a system call that Signalbox cannot see into, or if a timer
    or descriptor might still end the wait; it is reported, and PROGRAM continues. A cycle of owners is reported without
    --watch as well.

    These programs are run after a warning on standard error: a program that is linked statically, that needs no
    libdispatch, or that names another libdispatch itself. Not run is a program whose Swift runtime (libswiftCore, by build ID
    and by the compiler that it names) is of another release than that of Signalbox's library, and one with the setuid or
    setgid bit or with file capabilities, because the loader ignores LD_LIBRARY_PATH for it.

    The folder is in XDG_RUNTIME_DIR, XDG_CACHE_HOME or HOME/.cache: the first of them that is yours and that only you
    and root may write to, including the folders above it. Without any of them, each run makes a new folder in /tmp, which
    stays. SIGNALBOX_LIBRARY names another library than the one beside this command. SIGNALBOX_TOOL is set for PROGRAM: its
    reports use this command to name functions and lines.

    Exit status: the program's own; 126 it cannot be run; 127 it was not found; 64 wrong usage; 69 Signalbox's library is
    missing; 77 the folder cannot be made, or others may write to it.

    """
}

/// The command line of `signalbox env`.
public struct EnvironmentOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Print the variables.
    case print(EnvironmentText.Form)
  }

  /// What is to be done.
  public var action: Action

  /// Reads the arguments behind the word `env`. The last form given counts.
  public init(_ arguments: [String]) throws(Refusal) {
    action = .print(.shell)
    for argument in arguments {
      switch argument {
      case "--help", "-h":
        action = .help
        return
      case "--shell": action = .print(.shell)
      case "--systemd": action = .print(.systemd)
      case "--docker": action = .print(.docker)
      case "--json": action = .print(.json)
      default:
        guard argument.hasPrefix("-"), argument.count > 1 else {
          throw Refusal(.usage, "unexpected argument \"\(argument)\"")
        }
        throw unknownOption(argument)
      }
    }
  }

  /// The help text.
  public static let help = """
    usage: signalbox env [--shell | --systemd | --docker | --json]

    Prints the variables that put Signalbox in place of the toolchain's libdispatch, for a service file or a container, and
    makes the folder that they name. Run it as the user that will run the program, on the same machine or in the same image:
    the folder belongs to that user, and is in XDG_CACHE_HOME or HOME/.cache. SIGNALBOX_TOOL, with which reports find
    this command to name functions and lines, may be left out.

      --shell     export LD_LIBRARY_PATH=...  (default); use: eval "$(signalbox env)"
      --systemd   Environment=...  for the section [Service]
      --docker    ENV ...  for a Dockerfile, after a RUN signalbox env
      --json      one JSON object
      --help, -h  this text

    --systemd and --json name the folder only: if the service has an LD_LIBRARY_PATH already, append it after a colon.
    The variables stay valid when Signalbox is updated in place; print them again after moving it.

    To undo this, remove the line and restart the program; in a shell, unset LD_LIBRARY_PATH or set it to the
    value it had. Nothing else was changed. The folder, ~/.cache/signalbox, may be removed when no program uses it.

    Exit status: 0; 64 wrong usage; 69 Signalbox's library is missing; 77 the folder cannot be made, or others may write
    to it.

    """
}

private func unknownOption(_ argument: String) -> Refusal {
  let name = argument.hasPrefix("--") ? String(argument.prefix { $0 != "=" }) : argument
  return Refusal(.usage, "unknown option \(name)")
}
