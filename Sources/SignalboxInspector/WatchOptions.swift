// WatchOptions.swift: the command line of `signalbox watch`. The work is Watch.swift.

/// What `signalbox watch` is to do.
public struct WatchOptions: Sendable, Equatable {
  /// The process.
  public var process: Int32 = 0
  /// For how many seconds nothing has to move until that is reported.
  public var still = 10.0
  /// The report is to be one JSON object.
  public var isJSON = false
  /// The explanation is wanted.
  public var wantsHelp = false

  /// Reads the arguments behind the word.
  public init(_ arguments: [String]) throws(InspectRefusal) {
    var rest = arguments[...], numbers: [Int32] = []
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--json": isJSON = true
      case "--still":
        guard let seconds = rest.popFirst().flatMap({ Double($0) }), (1...86_400).contains(seconds) else {
          throw InspectRefusal(.usage, "--still needs seconds, from 1 to 86400")
        }
        still = seconds
      default: numbers.append(try InspectOptions.number(word))
      }
    }
    if wantsHelp { return }
    process = try InspectOptions.only(numbers)
  }

  /// The explanation.
  public static let help = """
    usage: signalbox watch PID [--still SECONDS] [--json]

    Reads the running process PID once a second, until it hangs or ends. It hangs if threads wait for one another; or if no thread of it
    has run for some time, and a thread waits for what a thread keeps that sleeps for good, or items lie behind such a thread, or a
    thread waits and no other thread can run any more. Then the tables of "signalbox inspect" are shown once. A process that waits for
    input, for a time or for a signal does not hang. "signalbox inspect --help" says what PID needs. A reading takes a tenth of the time
    at most: of a process with much memory readings are further apart.

      --still SECONDS   for how long no thread has run, from 1 to 86400; 10 without it
      --json            one JSON object when it hangs: "because", and "inspection" as "signalbox inspect --json" has it

    Exit status: 0 the process has ended; 1 it hangs; 64 wrong usage; 69 there is no such process; 77 it is not yours to read.

    """
}
