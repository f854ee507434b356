// main.swift: how many schedules a second `explore { }` runs of a body of two threads and two queues, beside the floor: the same threads
// started and joined, and as many hand-overs of a bare baton on one processor. To be run under `taskset -c 0`, so that both have one.
// Counted is processor time, so that the figures stand on a machine that others use.
//
//   ExploreRate [SCHEDULES [LEAST]]   LEAST: schedules a second, fewer of which are a failure
import ExploredShapes
import Glibc
import SignalboxExplore
import SignalboxSystem

/// Two threads that pass a word to and fro, `switches` times in all.
func handOver(_ switches: UInt32) throws {
  let word = Shared(), ended = Shared()
  for side in 0..<2 as Range<UInt32> {
    try Threads.spawn {
      while true {
        let turn = word.value.loadAcquire()  // acquire: pairs with the addition below
        if turn >= switches { break }
        if turn & 1 != side {
          word.value.park(expected: turn)
        } else {
          _ = word.value.addSeqCst(1)  // release: pairs with the load above
          word.value.wake()
        }
      }
      word.value.wake()
      _ = ended.value.addSeqCst(1)  // release: pairs with the load below
      ended.value.wake()
    }
  }
  while true {
    let count = ended.value.loadAcquire()  // acquire: pairs with the addition above
    if count == 2 { return }
    ended.value.park(expected: count)
  }
}

final class Shared: Sendable { let value = Atomic32(0) }

func number(_ place: Int) -> Int? { CommandLine.arguments.count > place ? Int(CommandLine.arguments[place]) : nil }
let schedules = number(1) ?? 20_000, least = number(2) ?? 0

/// Processor time, in seconds.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let begin = Clock.processorTime()
  try work()
  return Double(Clock.processorTime() - begin) / 1e9
}
func perSecond(_ seconds: Double) -> Int { Int(Double(schedules) / seconds) }

try explore(schedules: 200, strategy: .random, takeTwoQueues)
// One strategy: the default one searches all schedules of so small a body, and its runs differ.
var result: ExploreResult?
let explored = try seconds { result = try explore(schedules: schedules, strategy: .random, takeTwoQueues) }
guard let result else { fatalError("nothing was explored") }
let switches = UInt32(result.switches / result.schedules)
let floor = try seconds { for _ in 0..<schedules { try handOver(switches) } }
let rate = perSecond(explored)
print(
  "\(schedules) schedules of \(result.steps / result.schedules) steps and \(switches) switches; per second of processor time:")
print("explored     \(rate)")
print("bare baton   \(perSecond(floor)): the same threads and switches, and nothing chosen")
print("ratio        \((explored / floor * 100).rounded() / 100)")
if rate < least {
  print("too few: \(least) are asked for")
  exit(1)
}
