// RemoteThreads.swift: one thread of a process: what it waits for, is inside of and runs, and the queues that these
// name. How waits are read is SlotsView.swift (SignalboxView); all threads together are RemoteInspection.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// A thread, as two readings have found it the same.
struct RemoteThread {
  var seen: ReadThread
  var slot: ThreadPlace?
  var isOwn = false
  var frames: [FrameWord] = []
  var item: RunningItem?
  /// Since when it has been seen with that by the process itself, in nanoseconds of uptime; nil: not known.
  var itemSince: UInt64?
  /// Those that it is inside of or waits for, and what they run on.
  var queues: [QueueView] = []
  var wait: WaitView?
  var call: KernelCall?
  var mutex: ForeignMutex?
  var switches: UInt64?
  var isUnread = false
  /// What it is inside of or waits for leads nowhere.
  var isBroken = false
}

/// Reads threads.
struct RemoteThreadReader {
  let process: any ReadProcess
  let copy: DescribedCopy
  /// The threads that have slots.
  let slots: SlotsView
  /// The numbers of all threads.
  let ids: Set<Int32>
  /// What the process notes of itself.
  let samples: SampleReader

  /// What there is to know of a thread, and since when it runs its item. The stamp of that is the same before and
  /// after: it was so in between.
  func read(_ thread: RemoteThread) -> RemoteThread {
    guard let slot = thread.slot, samples.isThere else { return readOnce(thread) }
    let stamps = ItemStampReader(copy.reading), stamp = stamps.stamp(ofRecord: slot.record)
    var read = readOnce(thread)
    if let stamp, read.item != nil, stamps.stamp(ofRecord: slot.record) == stamp {
      read.itemSince = samples.since(stamp, of: slot.owner)
    }
    return read
  }

  /// What there is to know but for that. What the record or the frames name is read while these stand: so it was there.
  private func readOnce(_ thread: RemoteThread) -> RemoteThread {
    var thread = thread
    if let slot = thread.slot {
      let reading = copy.wait(of: slot, among: slots)
      if case .broken = reading { thread.isBroken = true }
      switch reading {
      case .moves: thread.isUnread = true
      case .waits(let wait):
        (thread.wait, thread.frames) = (wait, wait.frames)
        let frames = copy.frames(of: slot), item = self.item(frames)
        let queues = copy.queues(wait.frames, awaited: wait.kind.isQueue ? ReadNumber(UInt64(wait.object)) : 0)
        if copy.stands(wait.sequence, of: slot.owner) {
          (thread.item, thread.queues, thread.isBroken) = (item, queues, frames?.isBroken == true)
        }
      case .none, .broken:
        let first = copy.frames(of: slot), item = self.item(first), queues = copy.queues(first?.frames ?? [], awaited: 0)
        if let first, first == copy.frames(of: slot), areThere(queues, in: first, slot) {
          (thread.frames, thread.item, thread.queues) = (first.frames, item, queues)
          thread.isBroken = thread.isBroken || first.isBroken
        }
      }
    }
    if thread.wait == nil, thread.seen.state == "S" || thread.seen.state == nil {
      thread.switches = process.switches(of: thread.seen)
      thread.call = process.call(of: thread.seen)
      thread.mutex = mutex(of: thread)
    }
    return thread
  }

  private func item(_ frames: DescribedCopy.Frames?) -> RunningItem? {
    frames?.item.flatMap { copy.items.item($0) }
  }

  /// Whether a second reading finds the same queues by the frames of a running thread, which still has these frames
  /// afterwards. One reading is not enough: between two queues at an address another object may lie there.
  private func areThere(_ queues: [QueueView], in frames: DescribedCopy.Frames, _ slot: ThreadPlace) -> Bool {
    if queues.isEmpty { return true }
    let again = copy.queues(frames.frames, awaited: 0)
    return again.count == queues.count && zip(queues, again).allSatisfy { $0.isSame($1) } && copy.frames(of: slot) == frames
  }

  /// The C library's mutex that it sleeps for: the same call before and after the mutex was read, and a holder among the threads.
  private func mutex(of thread: RemoteThread) -> ForeignMutex? {
    guard let call = process.call(of: thread.seen),
      let found = ForeignMutex(call, { copy.memory.word64(ReadNumber(UInt64($0)))?.bits }),
      found.owner != thread.seen.id, ids.contains(found.owner), process.call(of: thread.seen) == call
    else { return nil }
    return found
  }

  /// The second reading: the thread waits as it did, and has not run in between.
  func stillStands(_ thread: RemoteThread) -> Bool {
    guard let wait = thread.wait else {
      return thread.mutex != nil && mutex(of: thread) == thread.mutex && process.switches(of: thread.seen) == thread.switches
    }
    guard let slot = thread.slot, case .waits(let again) = copy.wait(of: slot, among: slots) else { return false }
    return again.sequence == wait.sequence && again.end == wait.end
  }
}
