// TaskRegister.swift: when each of Swift's tasks was queued, ran and ended its last part, and for how long in all,
// while figures are on: what its memory does not tell. How the register lies in memory is TaskRegisterLayout
// (SignalboxWords); readers from outside find it by the process's description (SignalboxView/Tasks/TaskTimes.swift).
// The same by function is TaskFunctions.swift.
//
// A task is submitted by one thread, run by one, and submitted again: the queue between them orders what they write.
// Only the end of a part may be late: the task may run elsewhere by then, or its memory may be another task's. So the
// thread remembers the entry and the task's number, and changes words that bear that number's tag by compare and swap.
import SignalboxDispatch
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// Written by threads that submit and run tasks: no lock, no allocation but for the register itself.
enum TaskRegister {
  private typealias Layout = TaskRegisterLayout
  private typealias Entry = UnsafeMutablePointer<Atomic64>

  static func hears(_ event: Event) {
    switch event.kind {
    case .submitted: submits(Slot(event.second, event.third))
    case .started: starts(Slot(event.second, event.third))
    case .ended: ends()
    default: break
    }
  }

  // MARK: submitting

  /// The task is the submitting thread's until the item is added.
  private static func submits(_ slot: Slot) {
    guard let (job, number, entry) = found(slot) else { return }
    let now = Clock.ticks(), counts = entry[Layout.Entry.counts].loadRelaxed()  // relaxed: this thread's task
    if counts >> 32 != number { return begin(job, number, entry, now: now, queuedSince: now) }
    // relaxed: as above. The end of the last part may not be written yet: it was just now.
    let ended = entry[Layout.Entry.ended].loadRelaxed()
    if counts & 0xFFFF_FFFF != 0, ended & Layout.tag == counts & Layout.tag {
      TaskFunctions.add(Layout.ticks(from: ended, to: now), to: Layout.Sum.between, row(of: entry))
    }
    entry[Layout.Entry.queuedSince].storeRelaxed(now)  // relaxed: the queue orders it before what the runner does
  }

  /// The task, and its entry; nil: the item is no task's, or there is no room.
  @inline(__always)
  private static func found(_ slot: Slot) -> (job: RecordedJob, number: UInt64, entry: Entry)? {
    guard slot.first != SlotKind.queue, slot.first != SlotKind.waiter, let job = RecordedJob(ItemWords.work(slot)) else {
      return nil
    }
    let flags = job.word(JobLayout.flags)
    guard flags & 0xFF == 0, let start, let entry = entry(of: UInt64(job.address), in: start) else { return nil }
    return (job, flags >> 32, entry)
  }

  /// The entry becomes the task's, which no other thread has.
  private static func begin(_ job: RecordedJob, _ number: UInt64, _ entry: Entry, now: UInt64, queuedSince: UInt64) {
    let row = TaskFunctions.row(of: job)
    TaskFunctions.add(count: 1, to: Layout.Sum.tasks, row)
    // relaxed, all: readers compare two readings, and the number is the last word
    entry[Layout.Entry.counts].storeRelaxed(0)  // relaxed: as above
    entry[Layout.Entry.first].storeRelaxed(now)  // relaxed: as above
    entry[Layout.Entry.last].storeRelaxed(0)  // relaxed: as above
    entry[Layout.Entry.busy].storeRelaxed(number & Layout.spanTag)  // relaxed: as above
    entry[Layout.Entry.queued].storeRelaxed(UInt64(row))  // relaxed: as above
    entry[Layout.Entry.queuedSince].storeRelaxed(queuedSince)  // relaxed: as above
    entry[Layout.Entry.ended].storeRelaxed(Layout.moment(now, parts: 0))  // relaxed: as above
    entry[Layout.Entry.counts].storeRelease(number << 32)  // release: behind the rest
  }

  // relaxed: the row is written before the task is submitted, and stays
  @inline(__always)
  private static func row(of entry: Entry) -> Int { Int(entry[Layout.Entry.queued].loadRelaxed() & Layout.spanTag) }

  // MARK: running

  private static func starts(_ slot: Slot) {
    // A queue is no item, and no end of it is reported.
    if slot.first == SlotKind.queue { return }
    let thread = ThreadSlot.current, depth = Int(thread.pointee.items)
    thread.pointee.items = UInt64(depth + 1)
    guard depth < ThreadSlot.mostParts else { return }
    let part = ThreadSlot.parts(of: thread) + depth
    part.pointee.entry = 0
    guard let (job, number, entry) = found(slot) else { return }
    let now = Clock.ticks()
    // relaxed, all: the task is this thread's until its part ends; the queue orders what its submitter wrote
    var counts = entry[Layout.Entry.counts].loadRelaxed()  // relaxed: as above
    if counts >> 32 != number {
      begin(job, number, entry, now: now, queuedSince: 0)
      counts = number << 32
    }
    let row = row(of: entry), since = entry[Layout.Entry.queuedSince].loadRelaxed()  // relaxed: as above
    let span = since == 0 ? 0 : now &- since, queued = entry[Layout.Entry.queued].loadRelaxed()  // relaxed: as above
    entry[Layout.Entry.queued].storeRelaxed(Layout.adding(span, to: queued))  // relaxed: as above
    entry[Layout.Entry.queuedSince].storeRelaxed(0)  // relaxed: as above
    if span != 0 { TaskFunctions.add(span, to: Layout.Sum.queued, row) }
    entry[Layout.Entry.last].storeRelaxed(now)  // relaxed: as above
    if counts & 0xFFFF_FFFF != 0xFFFF_FFFF { counts += 1 }
    entry[Layout.Entry.counts].storeRelease(counts)  // release: behind the times
    TaskFunctions.add(count: 1, to: Layout.Sum.parts, row)
    part.pointee = TaskPart(entry: UInt(bitPattern: entry), counts: counts, row: UInt64(row), began: now)
  }

  /// The innermost item has ended. Its task may have gone on elsewhere, or be freed.
  private static func ends() {
    let thread = ThreadSlot.current
    if thread.pointee.items == 0 { return }
    let depth = Int(thread.pointee.items - 1)
    thread.pointee.items = UInt64(depth)
    guard depth < ThreadSlot.mostParts else { return }
    let part = ThreadSlot.parts(of: thread)[depth]
    if part.entry == 0 { return }
    // SAFETY: an address in the register, whose pages stay.
    let entry = UnsafeMutableRawPointer.at(part.entry).assumingMemoryBound(to: Atomic64.self)
    let now = Clock.ticks(), tag = part.counts >> 32 & Layout.spanTag, span = now &- part.began
    TaskFunctions.add(span, to: Layout.Sum.busy, Int(part.row))
    change(entry + Layout.Entry.busy) { $0 & Layout.spanTag == tag ? Layout.adding(span, to: $0) : nil }
    change(entry + Layout.Entry.ended) { _ in
      // relaxed: a part that begins meanwhile has another number, which the moment does not have
      entry[Layout.Entry.counts].loadRelaxed() == part.counts ? Layout.moment(now, parts: part.counts) : nil
    }
  }

  /// Until a swap succeeds, or there is nothing to change.
  @inline(__always)
  private static func change(_ word: UnsafeMutablePointer<Atomic64>, _ next: (UInt64) -> UInt64?) {
    var value = word.pointee.loadRelaxed()  // relaxed: the swap compares it
    while let changed = next(value) {
      let swap = word.pointee.casRelaxed(value, changed)  // relaxed: the word stands alone
      if swap.exchanged { return }
      value = swap.original
    }
  }

  // MARK: the register

  /// Pages of zeros, which stay; nil: there is no room, or tasks are laid out in another way.
  // SAFETY of nonisolated(unsafe): set once; every access to the words is atomic.
  private nonisolated(unsafe) static let start: UnsafeMutablePointer<Atomic64>? = {
    guard TaskRuntime.own != nil, TaskFunctions.areThere,
      let zeros = Memory.mapZeros(Layout.buckets * Layout.bucketWords * 8)
    else { return nil }
    ProcessDescription.write(.taskBuckets, UInt(Layout.buckets))
    ProcessDescription.write(.taskRegister, UInt(bitPattern: zeros))
    return zeros.assumingMemoryBound(to: Atomic64.self)
  }()

  /// The entry of a task's address, which is its own from the first time on; nil: all that it may have are others'.
  private static func entry(of address: UInt64, in start: UnsafeMutablePointer<Atomic64>) -> Entry? {
    for step in 0..<UInt64(Layout.bucketsTried) {
      let bucket = start + Int((Layout.bucket(of: address) &+ step) % UInt64(Layout.buckets)) * Layout.bucketWords
      for place in 0..<Layout.bucketEntries {
        var key = bucket[place].loadRelaxed()  // relaxed: an address stays
        if key == 0 {
          let swap = bucket[place].casRelaxed(0, address)  // relaxed: as above
          key = swap.exchanged ? address : swap.original
        }
        if key == address { return bucket + Layout.bucketEntries + place * Layout.entryWords }
      }
    }
    return nil
  }
}
