// SampleTables.swift: the memory in which this process notes once a second what it does, for readers from outside
// (SampleLayout, SignalboxWords). What is noted is SampledThreads.swift and SampledQueues.swift.
import CSignalbox
import SignalboxSystem
import SignalboxWords

/// The tables, made once, for the life of the process. Pages of them that nothing was noted in take up no memory.
///
/// Only the thread that samples writes. Readers from outside compare what they read twice.
struct SampleTables: @unchecked Sendable {
  // SAFETY of @unchecked: pointers to memory of process life, all of whose words are atomic.
  private typealias Words = UnsafeMutablePointer<UnseenWord>
  private let head: Words, threads: Words, queues: Words

  /// nil: the kernel has no room for them.
  init?() {
    let sizes = [
      SampleLayout.headWords, Int(SB_SLOT_COUNT) * SampleLayout.threadWords, SampleLayout.mostQueues * SampleLayout.queueWords,
    ]
    guard let start = Memory.mapZeros(sizes.reduce(0, +) * 8) else { return nil }
    // SAFETY: an atomic word has the layout of its integer, and zeros are one.
    head = start.assumingMemoryBound(to: UnseenWord.self)
    threads = head + sizes[0]
    queues = threads + sizes[1]
    set(.threads, UInt(bitPattern: threads))
    set(.threadCount, UInt(SB_SLOT_COUNT))
    set(.queues, UInt(bitPattern: queues))
    ProcessDescription.write(.samples, UInt(bitPattern: head))
  }

  private func set(_ word: SampleHead, _ value: UInt) { set(word, UInt64(value)) }
  private func set(_ word: SampleHead, _ value: UInt64) {
    head[word.rawValue].storeRelease(value)  // release: what it stands for was written before
  }

  /// A sample is whole that was taken at `now` of uptime.
  func end(at now: UInt64) { set(.last, now) }
  /// Only the first `count` queues' entries may have something.
  func use(queues count: Int) { set(.queuesUsed, UInt64(count)) }

  /// What is noted of the thread in a slot: from the owner value on.
  func write(thread slot: UInt64, _ words: [UInt64]) { write(threads + Int(slot) * SampleLayout.threadWords, words) }
  /// What is noted of a queue: from the address of its figures on.
  func write(queue place: Int, _ words: [UInt64]) { write(queues + place * SampleLayout.queueWords, words) }

  private func write(_ entry: Words, _ words: [UInt64]) {
    let sequence = entry[0].loadRelaxed()  // relaxed: only this thread writes it
    entry[0].storeRelease(sequence &+ 1)  // release: a reader of a word below finds this one odd afterwards, or another
    for (place, word) in words.enumerated() { entry[1 + place].storeRelease(word) }  // release: as above
    entry[0].storeRelease(sequence &+ 2)  // release: behind all of them
  }
}
