// TaskRegister.swift: when each of Swift's tasks went on last, and how often, while figures are on: what its memory
// does not tell. Readers from outside find it by the process's description (SignalboxView/Tasks/TaskTimes.swift).
import SignalboxDispatch
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// Written by the thread that is about to run a part of a task: no lock, no allocation but for the register itself.
enum TaskRegister {
  static func hears(_ event: Event) {
    let slot = Slot(event.second, event.third)
    guard event.kind == .started, slot.first != SlotKind.queue, let job = RecordedJob(ItemWords.work(slot)) else { return }
    note(job)
  }

  /// Pages of zeros, which stay; nil: there is no room, or tasks are laid out in another way.
  // SAFETY of nonisolated(unsafe): set once; every access to the words is atomic.
  private nonisolated(unsafe) static let start: UnsafeMutablePointer<Atomic64>? = {
    typealias Layout = TaskRegisterLayout
    guard TaskRuntime.own != nil, let zeros = Memory.mapZeros(Layout.entries * Layout.entryWords * 8) else { return nil }
    ProcessDescription.write(.taskBuckets, UInt(Layout.buckets))
    ProcessDescription.write(.taskRegister, UInt(bitPattern: zeros))
    return zeros.assumingMemoryBound(to: Atomic64.self)
  }()

  private static func note(_ job: RecordedJob) {
    let flags = job.word(JobLayout.flags)
    guard flags & 0xFF == 0, let start, let entry = entry(of: UInt64(job.address), in: start) else { return }
    // relaxed: this thread alone writes the task's entry; readers compare two readings. The number is the last word.
    let counts = entry[1].loadRelaxed(), number = flags >> 32, now = Clock.ticks()
    if counts >> 32 == number {
      entry[3].storeRelaxed(now)  // relaxed: as above
      if counts & 0xFFFF_FFFF != 0xFFFF_FFFF { entry[1].storeRelease(counts + 1) }  // release: behind the time
    } else {
      entry[1].storeRelaxed(0)  // relaxed: as above
      entry[2].storeRelaxed(now)  // relaxed: as above
      entry[3].storeRelaxed(now)  // relaxed: as above
      entry[1].storeRelease(number << 32 | 1)  // release: behind the times
    }
  }

  /// The entry of a task's address, which is its own from the first time on; nil: all that it may have are others'.
  private static func entry(of address: UInt64, in start: UnsafeMutablePointer<Atomic64>) -> UnsafeMutablePointer<Atomic64>? {
    typealias Layout = TaskRegisterLayout
    for step in 0..<UInt64(Layout.bucketsTried) {
      let bucket = Int((Layout.bucket(of: address) &+ step) % UInt64(Layout.buckets))
      for place in 0..<Layout.bucketEntries {
        let entry = start + (bucket * Layout.bucketEntries + place) * Layout.entryWords
        var key = entry[0].loadRelaxed()  // relaxed: an address stays
        if key == 0 {
          let swap = entry[0].casRelaxed(0, address)  // relaxed: as above
          if swap.exchanged { return entry }
          key = swap.original
        }
        if key == address { return entry }
      }
    }
    return nil
  }
}
