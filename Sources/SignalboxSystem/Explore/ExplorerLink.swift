// ExplorerLink.swift: the way to the explorer that chooses when threads go on: a library that `signalbox explore` has preloaded into
// this program, or an exploration in a test. It is called before each operation, and may let another thread go first. The trait's own
// points are Explore.swift.
import CSignalbox
import Synchronization

/// The explorer that runs this program, or some of its threads, if one does.
public enum ExplorerLink {
  private typealias Point = @convention(c) (_ primitive: UInt32, _ object: UInt, _ place: UInt) -> Void
  private typealias Thread = @convention(c) (_ number: UInt64) -> UInt64
  private typealias Ticks = @convention(c) () -> UInt64
  private typealias Question = @convention(c) () -> Int32

  // Looked up once, when the environment is read. A program that is merely given the variable finds no such functions.
  // SAFETY, of each: the preloaded library's function of that name has this type, and is never unloaded.
  private static let point = find("signalbox_explore_point").map { unsafeBitCast($0, to: Point.self) }
  private static let thread = find("signalbox_explore_thread").map { unsafeBitCast($0, to: Thread.self) }
  private static let ticksFunction = find("signalbox_explore_ticks").map { unsafeBitCast($0, to: Ticks.self) }
  private static let stacksFunction = find("signalbox_explore_wants_stacks").map { unsafeBitCast($0, to: Question.self) }

  private static func find(_ name: StaticString) -> UnsafeMutableRawPointer? {
    Environment.value("SIGNALBOX_EXPLORE") == "1" ? sb_find_symbol(name.cString) : nil
  }

  /// What the thread does under control; nil where there is no explorer, or it does not know the thread. Its time is counted in its own
  /// steps: what the kernel says differs from run to run.
  private static func sample(_ id: UInt64) -> KernelThread? {
    guard let known = thread?(id), known != 0 else { return nil }
    let (isWaiting, hasEnded) = (known & 3 == 2, known & 3 == 3)
    return KernelThread(isAsleep: isWaiting, isWaiting: isWaiting, hasEnded: hasEnded, runTime: known >> 2)
  }

  /// Virtual time for what the engine measures of itself. Whoever reads the clock again and again waits for it, and makes it go
  /// faster; the engine's reads before and after each job are no such wait. nil: there is no such explorer.
  static var ticks: UInt64? { ticksFunction?() }

  /// Whether anybody will read call stacks in this run. An explorer's are mostly thrown away, and a walk of the stack touches more
  /// memory than all else that a wait does.
  public static var wantsStacks: Bool { stacksFunction.map { $0() != 0 } ?? true }

  /// Whether the program is run by one.
  package static let isThere: Bool = {
    guard point != nil else { return false }
    // Looked up now, when the program has one thread: what comes later is done in each run anew.
    _ = (thread, ticksFunction, stacksFunction)
    KernelThread.explored = sample
    return true
  }()

  /// An explorer within the process.
  public protocol Inside: AnyObject, Sendable {
    /// A thread of its own is about to do `primitive` to `object`, `count` times at once.
    func pass(_ primitive: Int, object: UInt, count: UInt64)
    /// A thread of its own has found a deadlock that is certain.
    func fail(_ report: () -> String) -> Never
    /// Runs `body`, in which the calling thread passes no point and makes no thread of the explorer's.
    func suspend(_ body: () -> Void)
    /// What a thread of its own does until its next point depends on the object, or changes it.
    func touch(_ object: UInt)
    /// Like `touch`, of an instance of a class, within which there may be words that threads sleep on.
    func touch(instance: UInt)
    /// Like `touch`, of a queue, with which go its targets' turns.
    func touch(queue: UInt)
    /// Like `touch`, of a word that threads sleep on, before they do or are woken.
    func touch(word: UInt)
    /// There is no such object any more.
    func gone(_ object: UInt)
    /// The queue was stopped, suspended or made inactive; or it is so no more.
    func stopped(_ queue: UInt, _ isStopped: Bool)
    /// A thread that is under no control holds a lock for longer, and is to wake whoever sleeps on its word.
    func expectsWake(_ word: UInt)
    /// The body uses what does not tell what it touches.
    func usesUnseen()
  }

  // SAFETY: written once, before any thread has a private engine; making those threads orders what came before.
  nonisolated(unsafe) private static var inside: (any Inside)?

  /// Sets the explorer for threads that have a private engine: once, before there is such a thread.
  public static func install(_ explorer: any Inside) { inside = explorer }

  /// Whether an explorer within the process chooses when the calling thread goes on.
  public static var isCallerExplored: Bool { sb_thread_get().pointee.engine != nil }

  /// The calling thread is about to do `primitive` to `object`: others may run before it does.
  @inline(never)
  public static func pass(_ primitive: Int, object: UInt, count: UInt64 = 1) {
    if isCallerExplored { inside?.pass(primitive, object: object, count: count) }
    point?(UInt32(truncatingIfNeeded: primitive), object, 0)
  }

  /// Runs `body`, which is of no concern to the explorer: an explored thread passes no point in it.
  public static func unseen<R>(_ body: () -> R) -> R {
    guard isCallerExplored, let inside else { return body() }
    var result: R?
    inside.suspend { result = body() }
    return result!
  }

  /// The queue was stopped, suspended or made inactive; or it is so no more.
  public static func stopped(_ queue: UInt, _ isStopped: Bool) {
    if isCallerExplored { inside?.stopped(queue, isStopped) }
  }

  /// A thread that is under no control is to wake whoever sleeps on the word.
  static func expectsWake(_ word: UInt) { inside?.expectsWake(word) }

  // MARK: a search of all schedules

  // No word of the seam: an explorer has nothing to choose here.
  private static let searching = Atomic<UInt32>(0)
  /// Whether schedules are left out that differ only in the order of what does not depend on each other: then what the engine's
  /// operations touch is asked for. `Sources/CSignalboxExplore/README.md`: "The exhaustive search".
  @inline(__always) public static var isSearching: Bool {
    searching.load(ordering: .relaxed) != 0  // relaxed: set while no thread is explored; others ask in vain at most
  }
  /// Says so: for an explorer, while none of its threads runs.
  public static func search(_ searches: Bool) { searching.store(searches ? 1 : 0, ordering: .relaxed) }  // relaxed: as above

  /// What the calling thread does until its next point depends on the object, or changes it.
  @inline(__always) public static func touch(_ object: UInt) {
    if _slowPath(isSearching), isCallerExplored { inside?.touch(object) }
  }
  /// Like `touch`, of an instance of a class, within which there may be words that threads sleep on.
  @inline(__always) public static func touch(instance: UInt) {
    if _slowPath(isSearching), isCallerExplored { inside?.touch(instance: instance) }
  }
  /// Like `touch`, of a queue, with which go its targets' turns.
  public static func touch(queue: UInt) {
    if _slowPath(isSearching), isCallerExplored { inside?.touch(queue: queue) }
  }
  /// Like `touch`, of a word that threads sleep on.
  @inline(__always) public static func touch(word: UInt) {
    if _slowPath(isSearching), isCallerExplored { inside?.touch(word: word) }
  }
  /// There is no such object any more.
  public static func gone(_ object: UInt) {
    if isCallerExplored { inside?.gone(object) }
  }
  /// The calling thread uses what does not tell what it touches: from now on no schedule is left out.
  @inline(never) public static func usesUnseen() {
    if isCallerExplored { inside?.usesUnseen() }
  }

  /// A deadlock is certain: ends the run of the calling thread, which is explored.
  public static func fail(_ report: () -> String) {
    if isCallerExplored { inside?.fail(report) }
  }
}
