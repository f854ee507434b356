// DispatchQueue.swift: the queue object: its words, its fixed traits, its kind, how it is made and freed. What a queue
// does is in the +files.
public import SignalboxSystem
import SignalboxWaits
public import SignalboxWords

/// What a new queue's items run on.
enum TargetChoice {
  /// Global and main queues have no target.
  case none
  /// The global queue of a class.
  case root(DispatchQoS.QoSClass)
  case queue(DispatchQueue)

  init(_ queue: DispatchQueue?, _ qos: DispatchQoS) { self = queue.map { .queue($0) } ?? .root(qos.qosClass) }
}

/// A list of work items, run one after another or several at once, on threads that Signalbox manages.
///
/// Thread safety: every method may be called from any thread. A queue lives until its last reference is gone and its last item
/// has run.
///
/// ```swift
/// let store = DispatchQueue(label: "store")  // serial: one item after another
/// nonisolated(unsafe) var total = 0  // guarded by `store`
/// for number in 1...10 { store.async { total += number } }  // returns at once
/// print(store.sync { total })  // 55: after the ten items
/// ```
public class DispatchQueue: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: all mutable state is in atomic words; what they guard is described in QueueState and ItemList.

  // First, since the thread sanitizer expects them there (SanitizerWords); the small traits fill the second word up.
  final let sanitizerTarget: Atomic64
  // SAFETY: changes only before the first item (DispatchQueue+Limits), which orders the rest.
  @exclusivity(unchecked) final var sanitizerWidth: UInt16
  @usableFromInline package final let kind: QueueKind
  /// Whether the target may change while active: queues made under C names, and sources.
  final let isLegacy: Bool
  /// The class of its root, by its number: of a global queue its own, of others that of the target when that was set.
  // relaxed: a number by itself; changes with the target
  final let rootWord: Relaxed32

  /// What is pending: the pushers' words first, the owner's last, beside the state.
  @usableFromInline final let list = ItemList()
  @usableFromInline final let state: AtomicState<QueueState>
  /// Where those sleep who wait to take a queue that seems idle (SyncWaiter).
  final let gate = Atomic32(0)
  /// Of a concurrent queue: the most items that may run at once, 0 for no limit, and how many do (DispatchQueue+Limits).
  final let widthLimit = Atomic32(0)
  final let widthInUse = Atomic32(0)
  /// A lock for the moment in which the target is changed or counted, and whether the queue was ever a target (DispatchQueue+Target).
  final let targetLock = Atomic32(0)
  /// Its place in the register (QueueRegistry); 0: none.
  // SAFETY: changes only in init.
  @exclusivity(unchecked) private final var registered: UInt32 = 0
  /// How many references C has (CReferences).
  @usableFromInline final let references = Atomic32(0)
  /// The record of a sleeper at the gate whose patience has run out (SyncWaiter); 0: none.
  final let insistent = Atomic64(0)
  /// Unmanaged, +1 unless global or main; 0 on global, main and run-loop queues. Who may follow it how: DispatchQueue+Target.
  final let targetBits: Atomic64

  // Fixed traits.
  /// The label it was made with. One made without may get another later: `name`.
  final let givenName: String
  /// What it was made with, or the class of the global queue it was made on.
  // SAFETY: changes only while the queue is inactive (DispatchQueue+Create); activation orders the rest.
  final var ownQoS: DispatchQoS

  /// The label's first 15 bytes as the kernel takes them; 0 until a worker first runs the queue (KernelName).
  final let kernelName0 = Atomic64(0)
  final let kernelName1 = Atomic64(0)
  /// Unmanaged `QueueExtras`, +1; 0 until needed.
  @usableFromInline final let extrasBits = Atomic64(0)
  /// What C's context points to.
  @usableFromInline final let contextBits = Atomic64(0)

  /// `isListed`: whoever lists the process's queues is to find it.
  init(
    name: String, kind: QueueKind, qos: DispatchQoS, isInactive: Bool = false, isLegacy: Bool = false,
    target: TargetChoice, serviceClass: ServiceClass = .interactive, isListed: Bool = true
  ) {
    givenName = name
    self.kind = kind
    sanitizerWidth = SanitizerWidth.of(kind)
    self.isLegacy = isLegacy
    let root =
      switch target {
      case .none: serviceClass
      case .root(let qos): ServiceClass(qos)
      case .queue(let queue): queue.serviceClass
      }
    rootWord = Relaxed32(UInt32(root.rawValue))
    ownQoS = if qos == .unspecified, case .queue(let root) = target, root.isRoot { root.ownQoS } else { qos }
    var word = QueueState(rawValue: 0)
    if isInactive { word[QueueState.inactive] = 1 }
    switch target {
    case .none:
      word[QueueState.complex] = 1
      targetBits = Atomic64(0)
      sanitizerTarget = Atomic64(0)
    case .root:
      targetBits = Atomic64(GlobalQueues.queue(of: root).address)
      sanitizerTarget = Atomic64(0)
    case .queue(let queue):
      if !queue.isRoot { word[QueueState.complex] = 1 }
      targetBits = Atomic64(DispatchQueue.bits(retaining: queue))
      sanitizerTarget = Atomic64(DispatchQueue.sanitizerBits(queue))
    }
    state = AtomicState(word)
    super.init()
    if isListed { registered = QueueRegistry.add(address) }
    if _slowPath(Instruments.byte & Instruments.figures != 0) { countFromTheBeginning() }
    if isInactive, Events.areWanted(.queueStopped), isKnownToProgram { Events.tell(.queueStopped, address, 0, 0) }
  }

  /// What `print` shows.
  override final func text(at address: UInt) -> String { ObjectText.plain(shownType, name, address, shownFacts) }

  deinit {
    if registered != 0 { QueueRegistry.remove(registered) }
    let last = QueueState(rawValue: state.word.loadAlone())
    if last[QueueState.inactive] == 1 {
      Misuse.stop(
        "queue \"\(name)\" is freed while inactive: activate it before the last reference goes",
        about: .init(.sync, address))
    }
    if last[QueueState.suspendCount] > 0 {
      Misuse.stop(
        "queue \"\(name)\" is freed while suspended: balance every suspend() with a resume() first",
        about: .init(.sync, address))
    }
    Events.emit(.gone, address, UInt64(WaitKind.sync.rawValue))
    list.end()
    if extrasBits.loadAlone() != 0 { freeExtras() }
    TargetRelease.release(bits: targetBits.loadAlone())
  }

  // MARK: what DispatchObject promises

  /// Prevents further items from starting until a matching `resume()`; a running item continues. Has no effect on main and
  /// global queues.
  ///
  /// ```swift
  /// let uploads = DispatchQueue(label: "uploads")
  /// uploads.suspend()  // while there is no network
  /// uploads.async { print("uploaded") }
  /// uploads.resume()
  /// uploads.sync {}
  /// ```
  public override final func suspend() { suspendSelf() }
  /// Reverses one `suspend()`; one call too many stops the program. Has no effect on main and global queues.
  ///
  /// ```swift
  /// let uploads = DispatchQueue(label: "uploads")
  /// uploads.suspend()
  /// uploads.async { print("uploaded") }
  /// uploads.resume()  // the item runs now
  /// uploads.sync {}
  /// ```
  public override final func resume() { resumeSelf() }
  /// Activates a queue created with `.initiallyInactive`, so that its items run; has no effect on an active queue.
  ///
  /// ```swift
  /// let uploads = DispatchQueue(label: "uploads", attributes: .initiallyInactive)
  /// uploads.async { print("uploaded") }
  /// uploads.activate()  // the item runs now
  /// uploads.sync {}
  /// ```
  public override final func activate() { activateSelf() }
  /// Sets the queue in whose turns this queue's items run; only allowed before activation. nil means a global queue.
  ///
  /// ```swift
  /// let disk = DispatchQueue(label: "disk"), log = DispatchQueue(label: "log", attributes: .initiallyInactive)
  /// log.setTarget(queue: disk)  // items of both run one after another
  /// log.activate()
  /// log.sync { dispatchPrecondition(condition: .onQueue(disk)) }
  /// ```
  public override final func setTarget(queue: DispatchQueue?) { retarget(to: queue) }

  // MARK: what differs from one sort of queue to another

  // Each sort overrides what is its own: MainDispatchQueue, RunLoopQueue, DispatchWorkloop, and the turns of sources (SourceCore). Here it
  // is as serial, concurrent and global queues do.

  /// Whether the program has it as a queue, for those who list queues.
  var isKnownToProgram: Bool { true }

  /// Runs items, one after another, until the list is empty or others come first. Not on concurrent queues.
  func runItems(
    _ items: consuming OwnedList, _ thread: ThreadPointer, _ frame: UnsafeMutablePointer<DrainFrame>
  ) -> DrainOutcome { runSerialItems(items, thread, frame) }

  /// Items are pending, and the queue has become enqueued: notifies whoever runs them, with the reference that `keepForTarget` has taken.
  /// Returns the target if that is to do the same next.
  func notifyOfItems(_ urgency: Urgency) -> Lent<DispatchQueue>? { lieOnTarget(urgency) }

  /// A drain of this queue begins inside of the drain of its target.
  func drainBegins(inside around: UnsafeMutablePointer<ThreadFrame>, _ thread: ThreadPointer) {
    Pool.worker(thread)?.use { $0.takeNestedName(self) }
  }

  /// Whether a drain of this queue that runs inside its target's ends as soon as the list is empty.
  var leavesTargetAtOnce: Bool { targetReference?.use { $0.isRoot || $0.list.isEmpty } == false }

  /// Whether others wait for the thread that drains the queue, wherever it comes from.
  var doOthersWait: Bool {
    Pools.ofThread.use { $0.hasSharedWork || $0.isToLose(self) } || Pool.hasOwnItems(ThreadSlot.current)
  }

  /// Whether the drain is a run loop's, which goes on with its other work when the turn is over.
  var isRunLoopsTurn: Bool { false }

  /// Whether something waits for the end of the item that runs here. A moment's view: what comes later is seen after the next turn.
  var waitsForItsItem: Bool { hasOthersBehindItem }

  /// How many items a turn has at most; nil: what is pending as it begins.
  var turnLimit: Int? { nil }

  /// Whether its items can be waited for by taking its turn. Stops the program where they never can.
  func checkMaySync() {}

  /// Whose thread the calling thread is, in words, if the queue's items run on this thread alone; nil otherwise.
  var boundThreadOfCaller: (this: String, again: String)? { nil }

  /// Calls `body` with both words of every pending item. No item runs meanwhile.
  func forEachPending(_ items: borrowing OwnedList, _ body: (Slot) -> Void) { items.forEach(body) }

  /// Whether the items' classes decide in which order they run.
  package var isWorkloop: Bool { false }

  /// Sets the class that the queue's items count as at least. No item raises its thread's class, so the least is what all get.
  package func setFloor(_ qos: DispatchQoS, _ function: String) { setQoS(qos, function) }

  // MARK: the words by their places

  // SAFETY: the words lie in this object, and never move; the follower of the pointer sees to it that the queue is there.
  @inline(__always) final var listWords: UnsafePointer<ItemList> { withUnsafePointer(to: list) { $0 } }

  /// Our address, as it stands in slots and frames.
  @inlinable @inline(__always) package final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  // MARK: the state word

  /// Applies a transition until it sticks, unless it finds that it may not; nil then.
  // seq_cst S2: the swap comes before the owner's or pusher's next check of `tail` in the single order; pairs with S1.
  @inline(__always)
  final func tryUpdate(_ change: (QueueState) -> (QueueState, Bool)?) -> Bool? {
    state.tryUpdateSeqCst(change)  // seq_cst S2
  }

  /// Applies a transition that is always possible; returns what it says is to be done.
  @inline(__always)
  final func update<A>(_ change: (QueueState) -> (QueueState, A)) -> A {
    state.updateSeqCst(change)  // seq_cst S2
  }

  /// Applies a transition that asks for nothing.
  @inline(__always)
  final func set(_ change: (QueueState) -> QueueState) { update { (change($0), ()) } }
}

// MARK: kinds of queue

// A queue's kind (QueueKind of SignalboxWords) is compared here; elsewhere stand the questions, so that a new kind
// answers them in one place. Where each kind has something of its own, a name or a step, a switch lists them, and the
// compiler counts. A reader from outside has a copy of the kind, and compares that (QueueFigures.swift).
//
//                 isSerial  isConcurrent  isRoot  isThreadBound | owner and list   who drains             can be suspended
//   serial        yes                                           | of its own       whoever takes it       yes
//   concurrent              yes                                 | of its own       several at once        yes
//   global                                yes                   | the pool's       the pool's workers     no
//   main                                          yes           | of its own       the main thread        no
//   runLoop                                       yes           | of its own       the loop's thread      no

extension DispatchQueue {
  /// Whether items run one after another, on whatever thread takes the queue. Sources and workloops are such queues; those of one thread
  /// are not (`isThreadBound`).
  @inlinable @inline(__always) package final var isSerial: Bool { kind == .serial }

  /// Whether items run beside one another, and barriers alone.
  @inlinable @inline(__always) package final var isConcurrent: Bool { kind == .concurrent }

  /// Whether it is a global queue, where targets end: it has no owner and no turn, its items are the pool's.
  @inlinable @inline(__always) package final var isRoot: Bool { kind == .global }

  /// Whether it is the main queue.
  @inlinable @inline(__always) package final var isMain: Bool { kind == .main }

  /// Whether it is the queue of a run loop.
  @inline(__always) final var isRunLoops: Bool { kind == .runLoop }

  /// Whether items run on one thread only: the main queue, and queues of run loops.
  @inline(__always) final var isThreadBound: Bool { isMain || isRunLoops }

  /// Whether items of it run at the same time.
  @inline(__always) final var runsBeside: Bool { isConcurrent || isRoot }

  /// Whether the queue is the process's rather than the program's: the main queue or a global one.
  @inlinable @inline(__always) package final var isShared: Bool { isRoot || isMain }

  /// Whether it can be suspended: the main queue and global ones ignore that, as the header says.
  @inline(__always) final var canStop: Bool { isSerial || isConcurrent }
}
