// SleepHooks.swift: how a lock tells the pool, which lies above it, that a thread is about to sleep, and for which
// holder. A holder that stands behind others may be helped.
import CSignalbox

// MARK: a worker is about to sleep

/// Told before and after a worker sleeps in a lock or a condition.
public enum BlockingHook {
  /// Sets the pool's two functions, for the life of the process. Their argument: 1 for waits that are long by nature.
  public static func install(
    before: @escaping @convention(c) (Int32) -> Void, after: @escaping @convention(c) (Int32) -> Void
  ) {
    let hook = sb_block_hook_address()
    hook.pointee.before = before
    hook.pointee.after = after
  }

  /// Runs `body`, which sleeps; the pool hears of it if the calling thread is a worker of its.
  ///
  /// - Parameter longWait: a condition's wait, which says nothing about when it ends; a lock's wait is expected to be short.
  public static func around<R>(longWait: Bool, _ body: () -> R) -> R {
    // SAFETY: the functions are set before the first worker exists, and a thread is a worker only after that.
    guard ThreadSlot.current.pointee.worker != nil else { return body() }
    let argument: Int32 = longWait ? 1 : 0
    sb_block_hook_address().pointee.before?(argument)
    defer { sb_block_hook_address().pointee.after?(argument) }
    return body()
  }
}

// MARK: for whom a thread is about to sleep

/// Told before and after any thread sleeps for a lock whose holder is known.
public enum InversionHook {
  /// Of the holder's owner value, of the lock's address where holders may have no name, and of what it returned before in the same wait, or 0.
  /// What it returns, unless it is 0, goes to `End`.
  public typealias Begin = @convention(c) (_ holder: UInt64, _ object: UInt, _ token: UInt64) -> UInt64
  /// What `Begin` has returned.
  public typealias End = @convention(c) (_ token: UInt64) -> Void
  /// Of the lock's address and of its new holder's owner value.
  public typealias Taken = @convention(c) (_ object: UInt, _ holder: UInt64) -> Void

  // The functions' addresses; 0: none is to be called.
  private static let begin = Atomic64(0)
  private static let end = Atomic64(0)
  private static let taken = Atomic64(0)

  /// Sets the functions, for the life of the process.
  public static func install(begin: Begin, end: End, taken: Taken) {
    // relaxed, both: the last store publishes them
    self.end.storeRelaxed(UInt64(UInt(bitPattern: unsafeBitCast(end, to: UnsafeRawPointer.self))))
    self.taken.storeRelaxed(UInt64(UInt(bitPattern: unsafeBitCast(taken, to: UnsafeRawPointer.self))))
    // release: pairs with the acquires in isBehind() and isTaken(); a thread that finds this one finds the others
    self.begin.storeRelease(UInt64(UInt(bitPattern: unsafeBitCast(begin, to: UnsafeRawPointer.self))))
  }

  /// The thread `holder` has taken the lock at `object`, and others may sleep on that it does not wake.
  @inline(__always) public static func isTaken(_ object: UInt, by holder: UInt64) {
    if _slowPath(begin.loadAcquire() != 0) { tellTaken(object, holder) }  // acquire: pairs with install()
  }
  @inline(never) private static func tellTaken(_ object: UInt, _ holder: UInt64) {
    let word = taken.loadRelaxed()  // relaxed: stored before what was loaded above
    // SAFETY: the word is that of a function of this type, which stays.
    unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(word)), to: Taken.self)(object, holder)
  }

  /// One thread's wait for a lock: from before its first sleep until it has the lock, or gives up.
  public struct Wait: ~Copyable {
    private let object: UInt
    private var token: UInt64 = 0

    /// A wait for the lock at `object`, which several threads may hold at once without a name; 0: each holder has a name.
    @inline(__always) public init(object: UInt = 0) { self.object = object }

    /// The calling thread is about to sleep behind `holder`, 0 if that has no name: before each sleep, since the holder may have changed.
    @inline(__always) public mutating func isBehind(_ holder: UInt64) {
      let bits = InversionHook.begin.loadAcquire()  // acquire: pairs with install()
      if _slowPath(bits != 0 && (holder != 0 || object != 0)) { tell(bits, holder) }
    }

    @inline(never) private mutating func tell(_ bits: UInt64, _ holder: UInt64) {
      // SAFETY: the word is that of a function of this type, which stays.
      token = unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(bits)), to: Begin.self)(holder, object, token)
    }

    deinit {
      guard token != 0 else { return }
      let word = InversionHook.end.loadRelaxed()  // relaxed: stored before what was loaded above
      // SAFETY: as above.
      unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(word)), to: End.self)(token)
    }
  }
}
