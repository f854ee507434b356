// HostAsync.swift: a program with an asynchronous main(): Swift's runtime owns the main thread, unless main() gives it away
// before its first suspension. HostPlain has the other owners.
import Glibc
import HostWork

@main struct HostAsync {
  static func main() async {
    guard CommandLine.arguments.count == 3, let work = Work(rawValue: CommandLine.arguments[2]) else { exit(64) }
    switch CommandLine.arguments[1] {
    case "async-main":
      let sentence = await withCheckedContinuation { continuation in
        work.run { tally in continuation.resume(returning: tally.sentence) }
      }
      print(sentence)
      exit(0)
    case "ours-in-async-main":
      work.run { tally in
        print(tally.sentence)
        exit(0)
      }
      Ours.dispatchMain()
    default: exit(65)
    }
  }
}
