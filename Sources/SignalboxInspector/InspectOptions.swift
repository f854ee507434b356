// InspectOptions.swift: the command lines of `signalbox inspect` and `signalbox top`. That of `signalbox watch` is
// WatchOptions.swift.

/// What `signalbox inspect` is to do.
public struct InspectOptions: Sendable, Equatable {
  /// The process.
  public var process: Int32 = 0
  /// The answer itself is to be printed.
  public var isJSON = false
  /// Stacks of all threads are wanted.
  public var wantsStacks = false
  /// Each of Swift's tasks is wanted, as a tree.
  public var wantsTasks = false
  /// All rows are wanted, not only a page of those that tell something.
  public var wantsAll = false
  /// No cell is to be cut, however narrow the terminal is.
  public var isWide = false
  /// Only the status is wanted: whether threads wait for one another.
  public var isCheck = false
  /// The file for the picture.
  public var picture: String?
  /// The file for a copy of the process's recording.
  public var recording: String?
  /// The core dump to read in place of a process, and the program that ran.
  public var core: String?, program = ""
  /// The explanation is wanted.
  public var wantsHelp = false

  init() {}

  /// Tables of a page each.
  public static let plain = InspectOptions()

  /// Reads the arguments behind the word.
  public init(_ arguments: [String]) throws(InspectRefusal) {
    var rest = arguments[...], names: [String] = []
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--core":
        guard let file = rest.popFirst(), !file.isEmpty else { throw InspectRefusal(.usage, "--core needs a file") }
        core = file
      case _ where word.hasPrefix("--core="): core = String(word.dropFirst(7))
      case "--json": isJSON = true
      case "--stacks": wantsStacks = true
      case "--all": wantsAll = true
      case "--tasks": wantsTasks = true
      case "--wide": isWide = true
      case "--check": isCheck = true
      case "--svg":
        guard let file = rest.popFirst(), !file.isEmpty else { throw InspectRefusal(.usage, "--svg needs a file") }
        picture = file
      case _ where word.hasPrefix("--svg="): picture = String(word.dropFirst(6))
      case "--record":
        guard let file = rest.popFirst(), !file.isEmpty else { throw InspectRefusal(.usage, "--record needs a file") }
        recording = file
      case _ where word.hasPrefix("--record="): recording = String(word.dropFirst(9))
      default:
        if word.hasPrefix("-") { throw InspectRefusal(.usage, "unknown option \"\(word)\"") }
        names.append(word)
      }
    }
    if wantsHelp { return }
    if core != nil {
      guard names.count == 1 else { throw InspectRefusal(.usage, "--core needs the core dump and the program that ran") }
      if recording != nil { throw InspectRefusal(.usage, "a core dump has no recording: --record needs a process") }
      program = names[0]
    } else {
      let numbers = try names.map { name throws(InspectRefusal) in try Self.number(name) }
      process = try Self.only(numbers)
    }
    if isJSON && wantsAll { throw InspectRefusal(.usage, "--json has all that there is: --all is for tables") }
    if isJSON && wantsTasks { throw InspectRefusal(.usage, "--json has all tasks: --tasks is for tables") }
    if isJSON && isWide { throw InspectRefusal(.usage, "--json cuts nothing: --wide is for tables") }
    if isCheck && (isJSON || isWide || wantsAll || wantsStacks || picture != nil || recording != nil) {
      throw InspectRefusal(.usage, "--check shows nothing: leave the other options but --tasks out")
    }
    if recording != nil && (isJSON || isWide || wantsAll || wantsTasks || wantsStacks || picture != nil) {
      throw InspectRefusal(.usage, "--record copies the recording, and shows nothing: leave the other options out")
    }
  }

  /// The one process that the command line names.
  static func only(_ numbers: [Int32]) throws(InspectRefusal) -> Int32 {
    guard numbers.count == 1 else { throw InspectRefusal(.usage, "one process is to be named, by its number") }
    return numbers[0]
  }

  static func number(_ word: String) throws(InspectRefusal) -> Int32 {
    if let number = Int32(word), number > 0 { return number }
    throw InspectRefusal(.usage, word.hasPrefix("-") ? "unknown option \"\(word)\"" : "\"\(word)\" is no process's number")
  }

  /// The explanation.
  public static let help = """
    usage: signalbox inspect PID [--all] [--tasks] [--stacks] [--wide] [--svg FILE]
           signalbox inspect PID --json [--stacks]
           signalbox inspect PID --check [--tasks]
           signalbox inspect PID --record FILE
           signalbox inspect --core FILE PROGRAM [--all] [--tasks] [--stacks] [--wide] [--svg FILE] [--json]

    Shows what the running process PID is doing, also one that hangs: threads that wait for one another, how long each waits, for what, and
    which thread has it; what each thread runs; queues with their items; Swift's tasks with what they await; the pool; armed timers. The
    process goes on meanwhile.

    PID must be a process of your own, or you must be root. Its memory is read; nothing in it has to run. One that links Signalbox or runs
    under "signalbox run" shows most. Started with SIGNALBOX_INSPECT=1 in its environment it notes besides for how long items run and
    wait, tells the stacks of threads that run, and answers where the kernel does not show its memory. Of any other process are shown its
    threads and what they wait for, the queues of the toolchain's own Dispatch with their items, timers and descriptors. Tasks are found
    in any process with Swift's runtime, by searching the memory that it has written.

      --all        all threads, queues and waits, not only the first page of relevant ones
      --tasks      each of Swift's tasks, its children below it; without it tasks that do the same at the same place share a row
      --stacks     the stacks of the threads that are shown; with SIGNALBOX_INSPECT=1 also of those that run
      --wide       no cell is cut; without it tables fit the terminal, and cells lose their middle. Elsewhere nothing is cut
      --svg FILE   which thread waits for which, as a picture, besides; a deadlock is red. The file is readable for you alone
      --json       one JSON object: what each copy of Signalbox in the process does, and the names of its places
      --check      shows nothing: status 1 says that threads wait for one another, 0 that none do. For a probe of a container's health.
                   With --tasks also that tasks do, for which the memory that the process has written is searched
      --core FILE  what the process was doing whose core dump FILE is, and which ran PROGRAM
      --record FILE
                   shows nothing, but copies the recording that the process is being recorded into: with "signalbox run --flight" or
                   SIGNALBOX_FLIGHT, its last seconds. That needs no SIGNALBOX_INSPECT. The file is readable for you alone

    Exit status: 0; 1 with --check, a deadlock stands; 3 the core dump is damaged or cut off: what is whole was shown, and standard error says what is missing;
    64 wrong usage; 65 it cannot be understood at all; 69 there is no such process, or it is not prepared; 73 a file cannot be written;
    77 the process is not yours to read.

    """
}

/// What `signalbox top` is to do.
public struct TopOptions: Sendable, Equatable {
  /// The process.
  public var process: Int32 = 0
  /// Seconds between two tables.
  public var interval = 1.0
  /// How many tables; nil: until it is ended.
  public var count: Int?
  /// The explanation is wanted.
  public var wantsHelp = false

  /// Reads the arguments behind the word.
  public init(_ arguments: [String]) throws(InspectRefusal) {
    var rest = arguments[...], numbers: [Int32] = []
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--interval":
        guard let seconds = rest.popFirst().flatMap({ Double($0) }), (0.1...3600).contains(seconds) else {
          throw InspectRefusal(.usage, "--interval needs seconds, from 0.1 to 3600")
        }
        interval = seconds
      case "--count":
        guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
          throw InspectRefusal(.usage, "--count needs a number of tables")
        }
        count = number
      default: numbers.append(try InspectOptions.number(word))
      }
    }
    if wantsHelp { return }
    process = try InspectOptions.only(numbers)
  }

  /// The explanation.
  public static let help = """
    usage: signalbox top PID [--interval SECONDS] [--count NUMBER]

    Shows again and again what the running process PID is doing: its threads by what they do, the longest waits, and its queues by the items
    that they have run since the table before, with what waits in them. "signalbox inspect --help" says what PID needs.

      --interval SECONDS   between two tables, from 0.1 to 3600; 1 without it
      --count NUMBER       stop after NUMBER tables

    In a terminal the table is renewed in its place; q or Ctrl-C ends it. Elsewhere each table follows the one before.

    """
}
