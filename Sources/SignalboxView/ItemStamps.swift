// ItemStamps.swift: for each thread that runs an item a number that is another for its next item: what has the same
// number in two readings has run the same item all the time in between. Nothing is noted when an item begins.
import SignalboxSystem
import SignalboxWords

/// The numbers of threads, by the kernel's numbers of these: of a worker's count of jobs, which jobs and items of
/// concurrent queues change, and of the counts of what was taken off the queues that the thread has.
package struct ItemStamps: Sendable, Equatable {
  package private(set) var numbers: [Int32: UInt64] = [:]

  package init() {}

  /// A worker's part. One that is idle runs nothing.
  package mutating func add(_ worker: WorkerView) {
    if worker.status == WorkerStatus.idle { return }
    add(worker.progress, thread: worker.thread)
  }

  /// A queue's part: the thread has the queue, off which `done` items were taken.
  package mutating func add(queue address: UInt64, done: UInt64, thread: Int32) { add(done ^ address << 16, thread: thread) }

  private mutating func add(_ count: UInt64, thread: Int32) {
    // Spread over all bits, so that two counts that have changed are not taken for the same sum.
    var random = SmallRandom(seed: count)
    numbers[thread, default: 0] ^= random.next()
  }
}
