// WatchOptions.swift: the command line of `signalbox watch`. The work is Watch.swift.

/// What `signalbox watch` is to do.
public struct WatchOptions: Sendable, Equatable {
  /// The process.
  public var process: Int32 = 0
  /// For how many seconds nothing has to move until that is reported.
  public var still = 10.0
  /// What tasks do for too long, and is reported when it is found.
  public var tasks = TaskLimits()
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
        still = try Self.seconds(word, rest.popFirst(), from: 1)
      case "--task-cancelled": tasks.cancelled = try Self.seconds(word, rest.popFirst(), from: 0)
      case "--task-blocking": tasks.blocking = try Self.seconds(word, rest.popFirst(), from: 0)
      case "--task-queued": tasks.queued = try Self.seconds(word, rest.popFirst(), from: 0)
      case "--actor-tasks":
        guard let count = rest.popFirst().flatMap({ Int($0) }), (0...1_000_000).contains(count) else {
          throw InspectRefusal(.usage, "--actor-tasks needs a number, from 0 to 1000000")
        }
        tasks.actor = count
      default: numbers.append(try InspectOptions.number(word))
      }
    }
    if wantsHelp { return }
    process = try InspectOptions.only(numbers)
  }

  private static func seconds(_ word: String, _ value: String?, from least: Double) throws(InspectRefusal) -> Double {
    guard let seconds = value.flatMap({ Double($0) }), (least...86_400).contains(seconds) else {
      throw InspectRefusal(.usage, "\(word) needs seconds, from \(Int(least)) to 86400")
    }
    return seconds
  }

  /// The explanation.
  public static let help = """
    usage: signalbox watch PID [--still SECONDS] [--task-cancelled SECONDS] [--task-blocking SECONDS] [--task-queued SECONDS]
                             [--actor-tasks NUMBER] [--json]

    Reads the running process PID once a second, until it hangs or ends. It hangs if threads wait for one another; or if no thread of it
    has run for some time, and a thread waits for what a thread keeps that sleeps for good, or items lie behind such a thread, or a
    thread waits and no other thread can run any more. Then the tables of "signalbox inspect" are shown once. A process that waits for
    input, for a time or for a signal does not hang. "signalbox inspect --help" says what PID needs. A reading takes a tenth of the time
    at most: of a process with much memory readings are further apart.

    Meanwhile it prints what Swift's tasks do for too long, in a line each, once for each place in the program: a process does not say
    since when a task waits, so the times are those between readings. 0 leaves a finding out.

      --still SECONDS           for how long no thread has run, from 1 to 86400; 10 without it
      --task-cancelled SECONDS  a task runs or waits on that was cancelled so long ago; 30 without it
      --task-blocking SECONDS   a task keeps its thread asleep, which other tasks need; 10 without it
      --task-queued SECONDS     a task is queued on an actor or another executor; 10 without it
      --actor-tasks NUMBER      more tasks than these are queued on one actor; 100 without it
      --json                    JSON objects, a line each: of a finding "finding", "tasks", "seconds", "readings" and "text"; when it
                                hangs "because", and "inspection" as "signalbox inspect --json" has it

    Exit status: 0 the process has ended; 1 it hangs; 64 wrong usage; 69 there is no such process; 77 it is not yours to read.

    """
}
