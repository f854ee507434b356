// Thread.swift: Foundation's threads: the API. How one begins and ends is Thread+Life.swift; stacks and priorities are
// Thread+Kernel.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// A thread: one that the program created with this class, or any other thread that asked for `current`.
///
/// Thread safety: any thread. The object lives until the thread has exited and nothing else refers to it.
///
/// ```swift
/// let done = DispatchSemaphore(value: 0)
/// let thread = Thread {
///   print(Thread.current.name ?? "no name")  // reader
///   done.signal()
/// }
/// thread.name = "reader"
/// thread.start()
/// done.wait()
/// ```
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

  /// Creates a thread that will call `main()`, which a subclass overrides.
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
    kernelID.storeRelaxed(UInt32(id))  // relaxed: no other code has the object yet
  }

  // MARK: which

  private static let firstThread: Thread = {
    let thread = Thread(adopting: ProcessDescriptor.own, number: 1)
    thread.nameText = "main"
    return thread
  }()

  /// The calling thread's object; created on first use for a thread that this class did not start.
  @available(*, noasync, message: "a task may resume on another thread")
  open class var current: Thread { own }

  static var own: Thread {
    if MainThreadHost.isMainThread { return firstThread }
    let locals = ThreadLocals.current
    if let thread = locals.thread { return thread }
    let met = Thread(adopting: ThreadSlot.kernelID())
    locals.thread = met
    if let loop = locals.loop { met.hasMade(loop) }
    return met
  }

  /// The process's first thread.
  open class var mainThread: Thread { firstThread }
  /// Whether the calling thread is the main one: the process's first, or the one that runs the main queue after the first has ended.
  open class var isMainThread: Bool { MainThreadHost.isMainThread }
  /// Whether this object is the process's first thread.
  @available(*, noasync, message: "a task may resume on another thread")
  open var isMainThread: Bool { self === Thread.firstThread }
  /// Whether this class has ever started a thread.
  open class func isMultiThreaded() -> Bool { ThreadNotices.isMultiThreaded }

  // MARK: what it is called, and what it keeps

  /// The thread's name; nil at first. The kernel shows its first 15 bytes.
  open var name: String? {
    get { lock.withLock { nameText } }
    set {
      lock.withLock { nameText = newValue }
      let id = Int32(bitPattern: kernelID.loadRelaxed())  // relaxed: a thread that starts meanwhile names itself
      if id != 0 { Threads.setName(newValue ?? "", ofThread: id) }
    }
  }

  /// A dictionary for data of this thread. Use it only on the thread.
  open var threadDictionary: NSMutableDictionary {
    lock.withLock {
      if let dictionary { return dictionary }
      let made = NSMutableDictionary()
      dictionary = made
      return made
    }
  }

  /// The object, the thread's number (1 is the main thread) and its name.
  ///
  /// ```swift
  /// let thread = Thread { print("reads") }
  /// thread.name = "reader"
  /// print(thread)  // <Thread: 0x…>{number = …, name = reader}
  /// ```
  open override var description: String {
    "<\(type(of: self)): 0x\(hexAddress(of: self))>{number = \(number), name = \(name ?? "(null)")}"
  }

  /// The size of the thread's stack in bytes, rounded to whole pages; 8 MiB by default. Set it before `start()`: later values,
  /// and values below the system's least (16 KiB on x86-64, 128 KiB on aarch64), are ignored.
  open var stackSize: Int {
    get { lock.withLock { stackBytes } }
    set {
      guard !state.load().isStarted, let bytes = usableStack(newValue) else { return }
      lock.withLock { stackBytes = bytes }
    }
  }

  /// The importance of the thread's work. Background and utility work gets a lower priority; `grantedPriority` is what the
  /// kernel grants.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { quality } }
    set {
      lock.withLock { quality = newValue }
      applyPriority()
    }
  }

  // MARK: what it does

  /// Starts the thread, which calls `main()`. A thread that was already cancelled finishes at once.
  ///
  /// A thread runs once: a second start stops the program. If the system has no thread left, this waits until there is one.
  open func start() { begin() }

  /// Does the thread's work: calls the block, unless a subclass overrides it. Do not call this method.
  open func main() { lock.withLock { block }?.call() }

  // MARK: starting, sleeping, ending

  /// Starts a thread that calls `block`.
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { Thread(block: block).start() }

  /// Sleeps at least until `date` on the wall clock. A date that has passed returns at once.
  @available(*, noasync, message: "a task must not block its thread: use Task.sleep")
  open class func sleep(until date: Date) {
    switch LockDeadline(date) {
    case .wall(let point): ThreadSleep.until(.wall(point))
    default: ThreadSleep.until(.never)
    }
  }

  /// Sleeps for at least `interval` seconds on the uptime clock.
  @available(*, noasync, message: "a task must not block its thread: use Task.sleep")
  open class func sleep(forTimeInterval interval: TimeInterval) {
    guard interval > 0 else { return }
    guard interval < 9e9 else { return ThreadSleep.until(.never) }
    ThreadSleep.until(.uptime(Clock.uptime() + UInt64((interval * 1e9).rounded(.up))))
  }

  /// Exits the calling thread. `NSThreadWillExit` is posted, and the thread's object, dictionary and loop are released. Values
  /// on its stack are not released. Locks that it holds stay locked; a report names those that are known: all locks while
  /// lock-order validation is on (`SIGNALBOX_LOCK_ORDER`), otherwise the ones that threads wait for, and reader-writer locks
  /// held for reading. Operations whose `main()` is running on the thread finish.
  ///
  /// - Precondition: not called in an item of a queue, whose thread belongs to the pool; otherwise the program is stopped.
  @available(*, noasync, message: "a task does not own its thread")
  open class func exit() { ownEnds() }

  // MARK: stacks

  /// The return addresses on the calling thread's stack, innermost first; at most 128.
  open class var callStackReturnAddresses: [NSNumber] { ownCalls().map { NSNumber(value: $0) } }

  /// The calling thread's stack as text: functions, with files and lines if the command `signalbox symbolicate` can find them.
  ///
  /// - Note: Takes up to two seconds.
  open class var callStackSymbols: [String] {
    SymbolText.lines(ownCalls()).enumerated().map { "\($0.offset) \($0.element)" }
  }

  /// Without this function and the property that calls it: the property's caller comes first.
  @inline(never) private static func ownCalls() -> [UInt] { Array(ThreadStack.own().dropFirst(2)) }

  // MARK: priorities

  /// The thread's requested priority, from 0 to 1; 0.5 by default. Lowering it always works. Raising it needs a privilege that
  /// programs seldom have: `grantedPriority` shows what the kernel grants.
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

  /// Whether `main()` is running.
  open var isExecuting: Bool { state.load().isExecuting }
  /// Whether the thread has exited.
  open var isFinished: Bool { state.load().isFinished }
  /// Whether `cancel()` was called.
  open var isCancelled: Bool { state.load().isCancelled }
  /// Asks the thread to stop: its code must check `isCancelled`. If the thread has not started, `main()` will not be called.
  open func cancel() { _ = state.moved { $0.afterCancel() } }
}
