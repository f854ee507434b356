// WorkItemWaits.swift: where a work item is, for those who wait for its end: in a queue, on a thread, or nobody can say.
//
//   whereabouts: 0 not submitted   address | 1 in a serial queue   address | 2 in another   owner << 3 | 4 running   7 unclear, or it has run
// Written as the item goes its way; read by walks only. It stays at 7: who waits for an item that has run, or may run twice, waits for nobody
// in particular.
import SignalboxDiagnosis
import SignalboxSystem

enum WorkItemWaits {
  static let inSerial: UInt64 = 1, inOther: UInt64 = 2, running: UInt64 = 4, unclear: UInt64 = 7

  /// Leaves the record for a wait without limit for `item`; `WaitRecord.withdraw()` must follow.
  static func begin(_ item: UInt, isTimed: Bool) {
    _ = offset  // so whoever comes upon the word reads, and learns nothing then
    Waiting.begin(.workItem, object: item, isTimed: isTimed, .init(OwnerWord(item, .workItem)))
  }

  /// How far behind an item's address its whereabouts lie.
  private static let offset: UInt = {
    let sample = DispatchWorkItem {}
    let offset =
      withUnsafePointer(to: sample.whereabouts) { UInt(bitPattern: $0) }
      - UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    ProcessDescription.write(.itemPlace, offset)
    return offset
  }()

  /// Where an item is, for who waits for it.
  enum Finding {
    case nothing
    case queue(DispatchQueue)
    case thread(UInt64)

    func raise(_ raising: Raising) {
      switch self {
      case .nothing: break
      case .queue(let queue): raising.add(queue)
      case .thread(let owner): raising.add(threadOf: owner)
      }
    }
  }

  /// Where `item` is. The caller sees to it that it does not leave its queue meanwhile.
  static func find(_ item: DispatchWorkItem) -> Finding {
    // acquire: the queue is whole; pairs with the release in noteSubmission(to:)
    let place = item.whereabouts.loadAcquire()
    switch place & 7 {
    case inSerial, inOther: return .queue(Lent<DispatchQueue>(at: place & ~7).kept)
    case running: return .thread(place >> 3)
    default: return .nothing
    }
  }

  /// The address of the queue in which an item lies; 0: in none, or nobody can say. The queue may be gone.
  static func queue(of item: DispatchWorkItem) -> UInt64 {
    let place = item.whereabouts.loadRelaxed()  // relaxed: a name, through which nothing is read
    return place & 7 == inSerial || place & 7 == inOther ? place & ~7 : 0
  }

  /// Who runs the item, or drains the queue it lies in.
  static func answer(_ item: UInt, _ isAlive: Bool) -> OwnerAnswer {
    guard let place = SafeMemory.word64(item + offset, isAlive: isAlive) else { return OwnerAnswer() }
    switch place & 7 {
    case inSerial: return QueueWaits.ownerOfSerial(UInt(place & ~7))
    case running: return OwnerAnswer(owner: place >> 3)
    default: return OwnerAnswer()
    }
  }
}

extension DispatchWorkItem {
  /// The item goes into `queue`. A second submission makes its whereabouts unclear: either run ends the wait.
  @inline(__always) final func noteSubmission(to queue: DispatchQueue) {
    let isSerial = !queue.runsBeside
    let place = UInt64(queue.address) | (isSerial ? WorkItemWaits.inSerial : WorkItemWaits.inOther)
    // release: the queue is whole for who finds it here; pairs with find(_:).
    // relaxed: says nothing of any queue. The walk takes what it finds twice, and the queue's list orders the rest.
    if !whereabouts.casRelease(0, place).exchanged { whereabouts.storeRelaxed(WorkItemWaits.unclear) }
  }
  /// Whether it was submitted more than once, or has run.
  // relaxed: the waiter's own submissions are in order, and a stranger's may always come too late.
  final var isUnclear: Bool { whereabouts.loadRelaxed() == WorkItemWaits.unclear }

  /// The calling thread runs it, unless it was submitted twice. Another thread that runs it already may end the wait as well:
  /// unclear.
  @inline(__always) final func noteRun() {
    // relaxed: as in noteSubmission(to:)
    let place = whereabouts.loadRelaxed(), mine = ThreadSlot.owner() << 3 | WorkItemWaits.running
    guard place != WorkItemWaits.unclear else { return }
    let isElsewhere = place & 7 == WorkItemWaits.running && place != mine
    whereabouts.storeRelaxed(isElsewhere ? WorkItemWaits.unclear : mine)  // relaxed: as above
  }

  /// A run is over: who waits wakes soon, and this thread may by then wait for what they hold. Before anybody is woken.
  // relaxed: a walk that comes to a later wait of this thread has acquired that wait's record, and reads this the second time.
  @inline(__always) final func noteRunEnd() { whereabouts.storeRelaxed(WorkItemWaits.unclear) }

  /// Whether the calling thread is inside of it, and nobody else runs it or is to: a wait for its end is a wait for oneself.
  // relaxed: our own writing, or somebody else's later run, which then comes too late to be allowed.
  final var isRunningHere: Bool { whereabouts.loadRelaxed() == ThreadSlot.owner() << 3 | WorkItemWaits.running }
}
