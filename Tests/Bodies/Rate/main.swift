// main.swift: how many schedules a second `explore { }` runs of a body of two threads and two queues, beside the floor: the same threads
// started and joined, and as many hand-overs of a bare baton on one processor. To be run under `taskset -c 0`, so that both have one.
import SignalboxExplore
import SignalboxFoundation
import SignalboxSystem

/// The body: thirteen points and a few for the end of the threads.
@Sendable func body() {
  let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
  for _ in 0..<2 { Thread.detachNewThread { a.sync { b.sync {} } } }
}

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

let schedules = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 20_000 : 20_000
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let begin = Clock.uptime()
  try work()
  return Double(Clock.uptime() - begin) / 1e9
}

try explore(schedules: 200) { body() }
var result: ExploreResult?
let explored = try seconds { result = try explore(schedules: schedules) { body() } }
guard let result else { fatalError("nothing was explored") }
let switches = UInt32(result.switches / result.schedules)
let floor = try seconds { for _ in 0..<schedules { try handOver(switches) } }
print("\(schedules) schedules of \(result.steps / result.schedules) steps and \(switches) switches")
print("explored     \(Int(Double(schedules) / explored)) schedules a second")
print("bare baton   \(Int(Double(schedules) / floor)) a second: the same threads and switches, and nothing chosen")
print("ratio        \((explored / floor * 100).rounded() / 100)")
