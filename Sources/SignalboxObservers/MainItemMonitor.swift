// MainItemMonitor.swift: the thread that reports items of the main queue which run for longer than the limit, and the
// notes that it reads. When it checks is MainItemSchedule.swift; how the limit is set is EngineAnswers.swift
// (SignalboxDispatch).
//
//   number  beginnings and ends of items, odd while one runs; written by the thread that runs them, around the words of the item
//   bell    0 the monitor checks by itself   1 it sleeps until an item begins   2 it was rung
import SignalboxDispatch
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum MainItemMonitor {
  private static let number = Atomic64(0)
  // Words of the item that runs: read between two readings of `number` that agree.
  private static let began = Atomic64(0)
  private static let runner = Atomic64(0)
  /// How many items run inside of that one, on its thread.
  private static let depth = Atomic32(0)
  private static let runnerID = Atomic32(0)
  private static let kind = Atomic64(0)
  private static let function = Atomic64(0)
  private static let inner = Atomic64(0)

  private static let limit = Atomic64(0)
  private static let bell = Atomic32(0)
  private static let isMade = Atomic32(0)

  static func hears(_ event: Event) {
    switch event.kind {
    // An explorer counts time by itself, and sees what an item waits for. A queue is no item: its own are.
    case .started where event.second != SlotKind.queue && Instruments.byte & Instruments.explorer == 0:
      begins(Slot(event.second, event.third), ThreadSlot.current)
    case .ended: ends(ThreadSlot.current)
    case .mainThreadEnds: threadEnds()
    case .mainLimitSet: set(limit: event.second)
    default: break
    }
  }

  private static func set(limit nanoseconds: UInt64) {
    limit.storeRelease(nanoseconds)  // release: pairs with the acquire in `threadBody`, which the bell makes read it
    bell.storeSeqCst(2)  // seq_cst: as in `ring`
    bell.wake()
  }

  // MARK: the thread that runs items

  /// An item begins on the calling thread, in the drain that is its innermost frame. It may be none of the main
  /// queue's, or run inside of another of them.
  private static func begins(_ slot: Slot, _ thread: ThreadPointer) {
    // relaxed, all: written by the thread that counts as the main one, one at a time; the drain's ownership orders them
    guard thread.pointee.worker == nil else { return }
    let runs = runner.loadRelaxed()
    if runs != 0 {
      if runs == thread.pointee.owner { depth.storeRelaxed(depth.loadRelaxed() + 1) }  // relaxed: as above
      return
    }
    guard isOfMainQueue(thread) else { return }
    if isMade.loadRelaxed() == 0 { makeThread() }  // relaxed: the swap there decides
    let words = ItemWords.essence(slot)
    // release, all: after `number` was even for a thread that sees one of them; pairs with the acquires in `words`
    kind.storeRelease(words.kind)
    function.storeRelease(words.function)
    inner.storeRelease(words.inner)
    runnerID.storeRelease(UInt32(bitPattern: ThreadSlot.kernelID()))
    began.storeRelease(Clock.uptime())  // release: as the words above
    runner.storeRelaxed(thread.pointee.owner)  // relaxed: compared by threads of one owner at a time
    let now = number.loadRelaxed()  // relaxed: this thread's alone to write
    number.storeSeqCst(now &+ 1)  // seq_cst W1: before the bell is read; pairs with W2
    if bell.loadSeqCst() == 1 { ring() }  // seq_cst W1: after the number
  }

  /// The innermost item of the calling thread has ended.
  private static func ends(_ thread: ThreadPointer) {
    // relaxed, all: as in `begins`; the thread's own number is there only if it has written it
    guard runner.loadRelaxed() != 0, runner.loadRelaxed() == thread.pointee.owner else { return }
    let inside = depth.loadRelaxed()
    if inside > 0 { return depth.storeRelaxed(inside - 1) }
    ends()
  }

  private static func ends() {
    // relaxed, all: as in `begins`
    depth.storeRelaxed(0)
    runner.storeRelaxed(0)
    number.storeRelease(number.loadRelaxed() &+ 1)  // release: after the words, which the next item changes
  }

  /// The calling thread ends, out of an item perhaps.
  private static func threadEnds() {
    // relaxed: the thread's own number is there only if it has written it
    if runner.loadRelaxed() != 0, runner.loadRelaxed() == ThreadSlot.current.pointee.owner { ends() }
  }

  /// Whether the outermost drain on the thread is the main queue's: items of queues that target it run in its turn.
  private static func isOfMainQueue(_ thread: ThreadPointer) -> Bool {
    var frame = thread.innermostFrame, outermost: UInt = 0
    while let here = frame {
      if here.pointee.kind.isDrain { outermost = here.pointee.object }
      frame = here.pointee.previous
    }
    return outermost == MainQueue.queue.address
  }

  private static func ring() {
    // seq_cst: of one order with the monitor's going to sleep
    if bell.casSeqCst(1, 2).exchanged { bell.wake() }
  }

  // MARK: the monitor

  @inline(never) private static func makeThread() {
    // acquire-release: of several threads that come at once one makes it
    guard isMade.exchangeAcqRel(1) == 0 else { return }
    // Unless the program has said otherwise meanwhile.
    // acquire-release: a number, and nothing is read through it
    if let asked = MainLimit.fromEnvironment { _ = limit.casAcqRel(0, asked) }
    do {
      try Threads.spawn(name: "signalbox.main", stackSize: 512 * 1024) { threadBody() }
    } catch {
      isMade.storeRelease(0)  // release: pairs with the exchange above; tried again with the next item
    }
  }

  private static func threadBody() -> Never {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    var schedule = MainItemSchedule()
    while true {
      bell.storeSeqCst(0)  // seq_cst: before the limit and the number are read
      let limit = limit.loadAcquire()  // acquire: pairs with the release in `set`
      let found = read()
      switch limit == 0 ? .sleep : schedule.next(found, limit: limit, now: Clock.uptime()) {
      case .report: tell(found, limit)
      case .check(let time): bell.park(expected: 0, deadline: .uptime(time))
      case .sleep: sleep(limit)
      }
    }
  }

  /// Sleeps until an item begins, or the limit changes.
  private static func sleep(_ limit: UInt64) {
    guard bell.casSeqCst(0, 1).exchanged else { return }  // seq_cst W2: before the number is read
    if limit != 0, read().isRunning { return }
    while bell.loadAcquire() == 1 { bell.park(expected: 1) }  // acquire: pairs with the swap in `ring`
  }

  /// Whether the monitor sleeps until an item begins.
  static var testsOnly_isAsleep: Bool { bell.loadRelaxed() == 1 }  // relaxed: a moment's view

  private static func read() -> MainItemSchedule.Found {
    while true {
      // seq_cst W2: after the bell says that the monitor sleeps; pairs with W1
      let before = number.loadSeqCst()
      let began = began.loadAcquire()  // acquire: pairs with the release in `begins`
      // acquire: after the word, which is then of that number
      if number.loadAcquire() == before { return .init(number: before, began: began) }
    }
  }

  /// Reports the item that was found. One that has ended meanwhile has run for too long, too; only its stack is not to
  /// be had any more.
  private static func tell(_ found: MainItemSchedule.Found, _ limit: UInt64) {
    // acquire, all: pair with the releases in `begins`
    let words = ItemWords.Essence(kind: kind.loadAcquire(), function: function.loadAcquire(), inner: inner.loadAcquire())
    let thread = Int32(bitPattern: runnerID.loadAcquire())
    // acquire, this and the next: after the words, and after the stack
    let isItsOwn = number.loadAcquire() == found.number
    let stack = isItsOwn ? ThreadStack.reading(thread) : StackReading()
    let isStill = number.loadAcquire() == found.number
    Diagnosis.above?.tell(
      longItem: isItsOwn ? ItemWords.item(words) : nil, nanoseconds: Clock.uptime() &- found.began, limit: limit,
      thread: thread,
      stack: isStill ? stack : StackReading())
  }
}
