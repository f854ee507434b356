// WordCount.swift: counts the words of a tree of files: an ordinary program, of which the package builds two, one on
// Signalbox and one on the toolchain's Dispatch, from this text. Scripts/wordcount-compare runs both.
import Glibc

@main
struct WordCount {
  static func main() {
    do throws(Options.Complaint) {
      switch try Options.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: exit(put(Options.usage) ? 0 : 1)
      case .count(let options): exit(run(options) ? 0 : 1)
      }
    } catch {
      Console.complain("\(error.text)\nTry '\(subject.program) --help'.")
      exit(2)
    }
  }

  /// - Returns: whether everything was read, written and, with `--tasks`, equal.
  private static func run(_ options: Options) -> Bool {
    let (summary, time) = timed { countWithQueues(options) }
    var isFine = summary.unreadable == 0
    isFine = put(options.json ? summary.json : summary.text) && isFine
    if options.tasks { isFine = compareTasks(options, with: summary) && isFine }
    _ = Console.write("elapsed \(time) s\n", to: STDERR_FILENO)
    return isFine
  }

  private static func compareTasks(_ options: Options, with summary: Summary) -> Bool {
    let (other, time) = timed { countWithTasks(options) }
    guard other == summary else {
      Console.complain("the task group's totals differ (has a file changed meanwhile?):\n\(other.text)")
      return false
    }
    _ = Console.write("elapsed with tasks \(time) s, equal totals\n", to: STDERR_FILENO)
    return true
  }

  /// The result and the seconds it took, with three decimals.
  private static func timed<R>(_ body: () -> R) -> (R, String) {
    let start = DispatchTime.now().uptimeNanoseconds
    let result = body()
    let milliseconds = (DispatchTime.now().uptimeNanoseconds - start) / 1_000_000
    let decimals = String(1000 + milliseconds % 1000).dropFirst()
    return (result, "\(milliseconds / 1000).\(decimals)")
  }

  private static func put(_ text: String) -> Bool {
    let code = Console.write(text, to: STDOUT_FILENO)
    if code != 0 { Console.complain("cannot write the totals: \(String(cString: strerror(code)))") }
    return code == 0
  }
}
