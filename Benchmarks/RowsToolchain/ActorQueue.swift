// ActorQueue.swift: what the rows of tasks run on in this half: the toolchain's own executors, and a queue as an actor's executor as its
// users write it. What Signalbox has in its place is in the other Subject.swift.
import Dispatch

/// The runtime's default executor.
let taskPreference: (any TaskExecutor)? = nil

final class ActorQueue: SerialExecutor {
  private let queue: DispatchQueue
  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
