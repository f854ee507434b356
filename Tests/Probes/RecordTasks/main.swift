// main.swift: a program that knows nothing of Signalbox, to be recorded as it is.
//   RecordTasksProbe ROUNDS    ROUNDS times: four tasks, each of which calls an actor whose jobs are items of a queue
//   RecordTasksProbe chains    8,192 tasks' worth of chains of awaits, each another one
//   RecordTasksProbe endless   the same until it is killed; says "ready" after ten rounds
import Dispatch
import Glibc

/// Runs the actor's jobs in items of a queue.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "probe.visited")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

actor Guest {
  private static let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
  private var visits = 0
  func visit() { visits += 1 }
}

@globalActor actor Keeper {
  static let shared = Keeper()
  @Keeper static var guests = 0
}

enum Jobs {
  static func run(_ rounds: Int) {
    for _ in 0..<rounds {
      let done = DispatchSemaphore(value: 0)
      Task.detached(name: "host of a round of visits", priority: .utility) {
        await hosts(Guest())
        done.signal()
      }
      done.wait()
    }
  }

  private static func hosts(_ guest: Guest) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { await guest.visit() } }
    }
    await Task { @Keeper in Keeper.guests += 1 }.value
  }
}

/// Two functions that call one another by the bits of a number: as many chains of awaits as there are numbers.
enum Chains {
  static func run() {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      for number in 0..<8_192 { await left(number, 13) }
      done.signal()
    }
    done.wait()
  }

  private static func left(_ number: Int, _ depth: Int) async {
    if depth == 0 { return await Task.yield() }
    if number & 1 == 0 { await left(number >> 1, depth - 1) } else { await right(number >> 1, depth - 1) }
  }

  private static func right(_ number: Int, _ depth: Int) async {
    if depth == 0 { return await Task.yield() }
    if number & 1 == 0 { await left(number >> 1, depth - 1) } else { await right(number >> 1, depth - 1) }
  }
}

if CommandLine.arguments[1] == "chains" {
  Chains.run()
  exit(0)
}
if CommandLine.arguments[1] == "endless" {
  Jobs.run(10)
  print("ready")
  fflush(nil)
  while true { Jobs.run(1) }
}
Jobs.run(Int(CommandLine.arguments[1])!)
