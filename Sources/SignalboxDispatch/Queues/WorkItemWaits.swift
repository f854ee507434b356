// WorkItemWaits.swift: where a work item is, for those who wait for its end: in a queue, on a thread, or nobody can say.
//
// Its word (Whereabouts) is written as the item goes its way, and read by walks only. It stays unclear: a thread that
// waits for an item that has run, or may run twice, waits for no thread in particular.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

enum WorkItemWaits {
  /// Leaves the record for a wait without limit for `item`; `WaitRecord.withdraw()` must follow.
  static func begin(_ item: UInt, isTimed: Bool) {
    _ = isDescribed  // before a record leads a walk there, which may learn nothing then
    Waiting.begin(.workItem, object: item, isTimed: isTimed, .init(OwnerWord(item, .workItem)))
  }

  /// Says once how far behind an item's address its whereabouts lie, to those that read them.
  private static let isDescribed: Void = {
    let sample = DispatchWorkItem {}
    let place = withUnsafePointer(to: sample.whereabouts) { UInt(bitPattern: $0) }
    ProcessDescription.write(.itemPlace, place - UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque()))
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
    switch Whereabouts(rawValue: item.whereabouts.loadAcquire()).place {
    case .queue(let queue, _): return .queue(Lent<DispatchQueue>(at: queue).kept)
    case .thread(let owner): return .thread(owner)
    case .notSubmitted, .unclear: return .nothing
    }
  }

  /// The address of the queue in which an item lies; 0: in none, or nobody can say. The queue may be gone.
  static func queue(of item: DispatchWorkItem) -> UInt64 {
    // relaxed: a name, through which nothing is read
    guard case .queue(let queue, _) = Whereabouts(rawValue: item.whereabouts.loadRelaxed()).place else { return 0 }
    return queue
  }
}

extension DispatchWorkItem {
  /// The item goes into `queue`. A second submission makes its whereabouts unclear: either run ends the wait.
  @inline(__always) final func noteSubmission(to queue: DispatchQueue) {
    let place = Whereabouts.queue(UInt64(queue.address), isSerial: !queue.runsBeside).rawValue
    // release: the queue is whole for who finds it here; pairs with find(_:).
    // relaxed: says nothing of any queue. The walk takes what it finds twice, and the queue's list orders the rest.
    if !whereabouts.casRelease(0, place).exchanged { whereabouts.storeRelaxed(Whereabouts.unclear.rawValue) }
  }
  /// Whether it was submitted more than once, or has run.
  // relaxed: the waiter's own submissions are in order, and a stranger's may always come too late.
  final var isUnclear: Bool { whereabouts.loadRelaxed() == Whereabouts.unclear.rawValue }

  /// The calling thread runs it, unless it was submitted twice. Another thread that runs it already may end the wait as well:
  /// unclear.
  @inline(__always) final func noteRun() {
    // relaxed: as in noteSubmission(to:)
    let place = Whereabouts(rawValue: whereabouts.loadRelaxed()), mine = Whereabouts.running(ThreadSlot.owner())
    guard place != .unclear else { return }
    let isElsewhere = place.isRunning && place != mine
    whereabouts.storeRelaxed((isElsewhere ? .unclear : mine).rawValue)  // relaxed: as above
  }

  /// A run is over: who waits wakes soon, and this thread may by then wait for what they hold. Before anybody is woken.
  // relaxed: a walk that comes to a later wait of this thread has acquired that wait's record, and reads this the second time.
  @inline(__always) final func noteRunEnd() { whereabouts.storeRelaxed(Whereabouts.unclear.rawValue) }

  /// Whether the calling thread is inside of it, and nobody else runs it or is to: a wait for its end is a wait for oneself.
  // relaxed: our own writing, or somebody else's later run, which then comes too late to be allowed.
  final var isRunningHere: Bool { whereabouts.loadRelaxed() == Whereabouts.running(ThreadSlot.owner()).rawValue }
}
