// Threads.swift: making threads. What the pool's threads do is Worker.swift in SignalboxDispatch.
import CSignalbox
import Glibc

/// Creation and naming of threads.
public enum Threads {
  private final class Start: Sendable {
    let name: String?
    let body: @Sendable () -> Void
    init(name: String?, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Bytes in a page: 4, 16 or 64 KiB.
  public static let pageSize = max(4096, sysconf(Int32(_SC_PAGESIZE)))
  /// Bytes that a thread's stack has at least: 16 KiB on x86-64, 128 KiB on aarch64.
  public static let leastStack = max(16384, sysconf(Int32(_SC_THREAD_STACK_MIN)))

  /// Starts a detached thread that takes no signal sent to the process: the program's handlers run on the program's own
  /// threads. What a thread does to itself (SIGSEGV, SIGPIPE, …) it hears of.
  ///
  /// - Parameters:
  ///   - name: shown by the kernel, cut to 15 bytes.
  ///   - stackSize: bytes, a multiple of the page size; 0 means the system's default.
  ///   - isBystander: it does nothing for the program, which still counts as one that has made no thread.
  /// - Throws: `SystemError` when the system has no thread to give; nothing has happened then.
  public static func spawn(
    name: String? = nil, stackSize: Int = 0, isBystander: Bool = false, body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    if !isBystander { noteMaking() }
    try MemoryReserve.requireAny()
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    let result = ThreadMaker.make {
      sb_thread_spawn(
        { argument in
          // The reference made in spawn() is taken over here.
          let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
          if let name = start.name { Threads.setName(name) }
          start.body()
          return nil
        }, start.toOpaque(), stackSize)
    }
    if result < 0 {
      start.release()
      throw SystemError(call: "pthread_create", code: -result)
    }
  }

  /// Starts a detached thread that takes signals as its maker does: one of the program's own. It calls `body(argument)`.
  ///
  /// - Throws: `SystemError` when the system has no thread to give, or not with that stack; nothing has happened then.
  public static func spawn(
    stackSize: Int, _ argument: UnsafeMutableRawPointer,
    running body: @escaping @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
  ) throws(SystemError) {
    noteMaking()
    let mask = sb_own_signals()
    let result = ThreadMaker.make { sb_thread_spawn_open(body, argument, stackSize, mask) }
    if result < 0 { throw SystemError(call: "pthread_create", code: -result) }
  }

  /// Ends the calling thread. Nothing on its stack is released; the hooks of its end run.
  public static func exitThread() -> Never { sb_thread_exit() }

  /// Asks for a niceness, 19 (last) to -20 (first), for a thread of this process by the kernel's number.
  ///
  /// - Throws: `SystemError` when the process may not, which less niceness mostly needs a right for; or there is no such thread.
  public static func setNiceness(_ niceness: Int, ofThread id: Int32) throws(SystemError) {
    try checked("setpriority", sb_set_niceness(id, Int32(niceness)))
  }

  /// The niceness of a thread of this process; nil when it is gone.
  public static func niceness(ofThread id: Int32) -> Int? {
    let value = sb_niceness(id)
    return value < 0 ? nil : 20 - Int(value)
  }

  // 0 none yet   1 some were made   2 none, and none may be
  // relaxed: nothing is read through it; the swaps decide which of making and forbidding came first.
  private static let making = Relaxed64(0)

  /// Whether a thread of ours was ever made.
  public static var haveBeenMade: Bool { making.load() == 1 }

  /// Keeps threads from being made, or allows it again: the next one stops the program. False if some were made already.
  public static func forbid(_ isForbidden: Bool) -> Bool {
    making.cas(isForbidden ? 0 : 2, isForbidden ? 2 : 0).original != 1
  }

  private static func noteMaking() {
    let old = making.load()
    if old == 1 { return }
    if old == 0, making.cas(0, 1).original != 2 { return MemoryReserve.keep() }
    Misuse.stopHere(
      "a thread is needed, and _dispatch_prohibit_transition_to_multithreaded(true) has forbidden that: nothing may be "
        + "submitted before it is called with false")
  }

  /// Names the calling thread to the kernel: at most 15 bytes, longer names are cut at a character.
  public static func setName(_ name: String) {
    // The only errors are a bad pointer and a bad option: nothing a caller could do.
    _ = kernelName(name).withCString { sb_set_thread_name($0) }
  }

  /// Names thread `id` of this process in the same way; no effect when it is gone.
  public static func setName(_ name: String, ofThread id: Int32) {
    kernelName(name).withCString { KernelThread.setName(UInt64(id), $0) }
  }

  private static func kernelName(_ name: String) -> Substring {
    var room = 15
    return name.prefix { character in
      room -= character.utf8.count
      return room >= 0
    }
  }

  /// Names the calling thread to the kernel: at most 15 bytes and a zero.
  public static func setName(bytes: UnsafePointer<CChar>) { _ = sb_set_thread_name(bytes) }

  /// Runs `body`, in which the kernel ends the calling thread's sleeps by time as exactly as it can, and not some 50 us later along with others.
  ///
  /// Two system calls. Threads that `body` makes would inherit it: it makes none.
  public static func withExactSleeps<R>(_ body: () -> R) -> R {
    sb_set_timer_slack(1)
    defer { sb_set_timer_slack(0) }
    return body()
  }

  /// The calling thread's name as the kernel shows it.
  public static func ownName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
      buffer.initialize(repeating: 0)
      sb_own_thread_name(buffer.start)
      return String(cString: buffer.start)
    }
  }

  /// Whether the calling thread is the process's first. A system call at the thread's first question only.
  public static var isMain: Bool {
    let thread = sb_thread_get()
    if thread.pointee.is_main == 0 { thread.pointee.is_main = sb_gettid() == getpid() ? 1 : 2 }
    return thread.pointee.is_main == 1
  }

  /// The kernel's number of the process's first thread.
  public static var mainID: Int32 { getpid() }

  /// Notes the main thread's signal mask as what programs started from workers, which block most signals, shall inherit. If the
  /// thread is in the midst of making a thread or the like for long, what was noted before stays.
  public static func noteProgramSignals() {
    let cell = UnsafeMutableRawPointer(sb_program_signals_address()).assumingMemoryBound(to: Atomic64.self)
    // Under the explorer the main thread has another number than it knows, and files of the kernel's cost more than all else.
    // relaxed: a mask by itself. SAFETY: as below.
    if Instruments.byte & Instruments.explorer != 0 { return cell.pointee.storeRelaxed(0) }
    for _ in 0..<20 {
      let mask = KernelThread.blockedSignals(UInt64(getpid())) ?? 0
      // relaxed: a mask by itself. SAFETY: the C global lives as long as the process.
      if !isPassing(mask: mask) { return cell.pointee.storeRelaxed(mask) }
      Parking.yield()
    }
  }

  /// Whether a thread has the mask for a moment only: all signals blocked, by the C library or for a new thread of ours.
  public static func isPassing(mask: UInt64) -> Bool { sb_mask_is_passing(mask) != 0 }

  /// In the child of a fork: a worker's signal mask becomes the program's, and monitored signals do what the program asked for.
  public static func restoreSignalsInChild() {
    sb_signals_in_child()
    sb_restore_signals_in_child()
  }

  /// Runs `handler` in the child of every `fork` from now on.
  public static func onForkInChild(_ handler: @escaping @convention(c) () -> Void) { _ = sb_at_fork_child(handler) }

  /// Runs `before` ahead of every `fork` from now on, and then one of the others: on the thread that forks.
  public static func onFork(
    before: @escaping @convention(c) () -> Void, inParent: @escaping @convention(c) () -> Void,
    inChild: @escaping @convention(c) () -> Void
  ) { _ = sb_at_fork(before, inParent, inChild) }

  /// Runs `handler` when the process ends in order. False when no handler can be added any more.
  @discardableResult
  public static func onProcessExit(_ handler: @escaping @convention(c) () -> Void) -> Bool { sb_at_process_exit(handler) == 0 }

  /// Ends the process with `status`, running the usual exit handlers.
  public static func exitProcess(_ status: Int32) -> Never { exit(status) }
}
