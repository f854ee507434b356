// Thread.swift: Foundation's threads: the API. How one begins and ends is Thread+Life.swift; stacks and priorities are
// Thread+Kernel.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A thread of the program's own: made and started by it, or met by it (`current` on a thread that something else made).
///
/// Thread safety: any thread. The object of a thread lives until the thread has ended and nobody else keeps it.
// SAFETY of @unchecked: everything mutable is guarded by `lock` or atomic; what else an object has of a subclass is its
// business.
open class Thread: NSObject, @unchecked Sendable {
  final let lock = UnfairLock()
  final let state: AtomicState<ThreadState>
  final let number: UInt64
  /// Whether something else has made the thread.
  final let isMet: Bool
  /// The kernel's number while the thread runs, else 0.
  final let kernelID = Atomic32(0)
  // Guarded by `lock`.
  final var block: ThreadBlock?
  final var nameText: String?
  final var stackBytes = 8 << 20
  final var dictionary: NSMutableDictionary?
  final var priority = 0.5
  final var quality = QualityOfService.default
  final var loop: RunLoop?
  final var early: [EarlyPerform] = []
  final var isOver = false
  /// The operation inside of which the thread was started.
  final var origin: (any ThreadOrigin)?

  private static let made = Atomic64(1)
  private static func nextNumber() -> UInt64 { made.addRelaxed(1) + 1 }  // relaxed: a number by itself

  /// Creates a thread that will call `main()`, to be overridden.
  public override init() {
    (number, isMet) = (Self.nextNumber(), false)
    state = AtomicState(.new)
  }

  /// Creates a thread that will call `block`.
  public convenience init(block: @escaping @Sendable () -> Void) {
    self.init()
    self.block = ThreadBlock(call: block)
  }

  /// The object of a thread that something else has made, on that thread.
  init(adopting id: Int32, number: UInt64? = nil) {
    (self.number, isMet) = (number ?? Self.nextNumber(), true)
    state = AtomicState(.met)
    super.init()
    kernelID.storeRelaxed(UInt32(id))  // relaxed: nobody else has the object yet
  }

  // MARK: which

  private static let firstThread: Thread = {
    let thread = Thread(adopting: ProcessDescriptor.own, number: 1)
    thread.nameText = "main"
    return thread
  }()

  /// The calling thread's object; made at first need for a thread that something else has made.
  @available(*, noasync, message: "a task may go on on another thread")
  open class var current: Thread { own }

  static var own: Thread {
    if Threads.isMain { return firstThread }
    let locals = ThreadLocals.current
    if let thread = locals.thread { return thread }
    let met = Thread(adopting: ThreadSlot.kernelID())
    locals.thread = met
    if let loop = locals.loop { met.hasMade(loop) }
    return met
  }

  /// The process's first thread.
  open class var mainThread: Thread { firstThread }
  /// Whether the caller is the process's first thread.
  open class var isMainThread: Bool { Threads.isMain }
  /// Whether this is the process's first thread.
  @available(*, noasync, message: "a task may go on on another thread")
  open var isMainThread: Bool { self === Thread.firstThread }
  /// Whether a thread was ever started by this class.
  open class func isMultiThreaded() -> Bool { ThreadNotices.isMultiThreaded }

  // MARK: what it is called, and what it keeps

  /// What the thread is called; nil at first. The kernel shows as much of it as it has room for: 15 bytes.
  open var name: String? {
    get { lock.withLock { nameText } }
    set {
      lock.withLock { nameText = newValue }
      let id = Int32(bitPattern: kernelID.loadRelaxed())  // relaxed: a thread that starts meanwhile names itself
      if id != 0 { Threads.setName(newValue ?? "", ofThread: id) }
    }
  }

  /// A place for what belongs to this thread. To be used on it.
  open var threadDictionary: NSMutableDictionary {
    lock.withLock {
      if let dictionary { return dictionary }
      let made = NSMutableDictionary()
      dictionary = made
      return made
    }
  }

  /// The object, the thread's number (1 is the main thread) and its name.
  open override var description: String {
    "<\(type(of: self)): 0x\(hexAddress(of: self))>{number = \(number), name = \(name ?? "(null)")}"
  }

  /// Bytes of the thread's stack, 8 MiB at first: whole pages. Set before `start()`; less than 16 KiB and what comes later is
  /// ignored.
  open var stackSize: Int {
    get { lock.withLock { stackBytes } }
    set {
      guard !state.load().isStarted, let bytes = usableStack(newValue) else { return }
      lock.withLock { stackBytes = bytes }
    }
  }

  /// How important its work is. What the kernel gives for it is `grantedPriority`: background and utility work stands back.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { quality } }
    set {
      lock.withLock { quality = newValue }
      applyPriority()
    }
  }

  // MARK: what it does

  /// Starts the thread, which calls `main()`. A thread that was cancelled before is finished at once.
  ///
  /// A thread runs once: a second start stops the program. Where the system has no thread to give it waits for one.
  open func start() { begin() }

  /// What the thread does: calls the block, unless a subclass does otherwise. Not to be called.
  open func main() { lock.withLock { block }?.call() }

  // MARK: starting, sleeping, ending

  /// Starts a thread that calls `block`.
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { Thread(block: block).start() }

  /// Sleeps until `date` on the wall clock, and not less. Past dates return at once.
  @available(*, noasync, message: "a task must not block its thread: use Task.sleep")
  open class func sleep(until date: Date) {
    switch LockDeadline(date) {
    case .wall(let point): ThreadSleep.until(.wall(point))
    default: ThreadSleep.until(.never)
    }
  }

  /// Sleeps for `interval` seconds on the uptime clock, and not less.
  @available(*, noasync, message: "a task must not block its thread: use Task.sleep")
  open class func sleep(forTimeInterval interval: TimeInterval) {
    guard interval > 0 else { return }
    guard interval < 9e9 else { return ThreadSleep.until(.never) }
    ThreadSleep.until(.uptime(Clock.uptime() + UInt64((interval * 1e9).rounded(.up))))
  }

  /// Ends the calling thread: who observes `NSThreadWillExit` is told, its object, dictionary and loop are given up. What lies
  /// on its stack is not released. Locks that it holds stay held, and are named in a report as far as they are known: all of them
  /// while locks are watched (`SIGNALBOX_LOCK_ORDER`), else those that somebody waits for, and reader-writer locks being read.
  /// Operations whose `main()` it is inside of are finished.
  ///
  /// - Precondition: not called by an item of a queue, whose thread is the pool's: the program is stopped otherwise.
  @available(*, noasync, message: "a task does not own its thread")
  open class func exit() { ownEnds() }

  // MARK: stacks

  /// The calling thread's return addresses, the innermost first; at most 128.
  open class var callStackReturnAddresses: [NSNumber] { ownCalls().map { NSNumber(value: $0) } }

  /// The calling thread's stack in words: functions, and files and lines where a helper can find them (`signalbox
  /// symbolicate`).
  ///
  /// - Note: takes a moment, up to two seconds.
  open class var callStackSymbols: [String] {
    SymbolText.lines(ownCalls()).enumerated().map { "\($0.offset) \($0.element)" }
  }

  /// Without this function and the property that calls it: who asks comes first.
  @inline(never) private static func ownCalls() -> [UInt] { Array(ThreadStack.own().dropFirst(2)) }

  // MARK: priorities

  /// How much the thread is preferred, from 0 to 1; 0.5 at first. Less than before is always granted; more needs a right that
  /// programs seldom have: `grantedPriority` tells.
  open var threadPriority: Double {
    get { lock.withLock { priority } }
    set {
      lock.withLock { priority = min(max(newValue, 0), 1) }
      applyPriority()
    }
  }

  /// The calling thread's priority.
  open class func threadPriority() -> Double { own.threadPriority }

  /// Sets the calling thread's priority.
  ///
  /// - Returns: whether the kernel grants it.
  @discardableResult
  open class func setThreadPriority(_ p: Double) -> Bool {
    own.threadPriority = p
    return Threads.niceness(ofThread: ThreadSlot.kernelID()) == niceness(of: own.threadPriority)
  }

  // MARK: states

  /// Whether `main()` is under way.
  open var isExecuting: Bool { state.load().isExecuting }
  /// Whether the thread has ended.
  open var isFinished: Bool { state.load().isFinished }
  /// Whether it was told to end.
  open var isCancelled: Bool { state.load().isCancelled }
  /// Tells it to end: it must look at `isCancelled` itself. Before `start()`: `main()` is not called.
  open func cancel() { _ = state.moved { $0.afterCancel() } }
}
