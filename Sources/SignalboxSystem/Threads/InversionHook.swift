// InversionHook.swift: how a lock tells the pool, which lies above it, for whom a thread is about to sleep: a holder that stands behind
// others may be helped. That a worker sleeps at all is BlockingHook.swift.
import CSignalbox

/// Told before and after any thread sleeps for a lock whose holder is known.
public enum InversionHook {
  /// Of the holder's owner value; what it returns, unless it is 0, goes to `End`.
  public typealias Begin = @convention(c) (_ holder: UInt64) -> UInt64
  /// What `Begin` has returned.
  public typealias End = @convention(c) (_ token: UInt64) -> Void

  // The functions' addresses; 0: nobody is to be notified.
  private static let begin = Atomic64(0)
  private static let end = Atomic64(0)

  /// Sets the two functions, for the life of the process.
  public static func install(begin: Begin, end: End) {
    // relaxed: the next publishes it
    self.end.storeRelaxed(UInt64(UInt(bitPattern: unsafeBitCast(end, to: UnsafeRawPointer.self))))
    // release: pairs with the acquire in around(); who finds this one finds the other
    self.begin.storeRelease(UInt64(UInt(bitPattern: unsafeBitCast(begin, to: UnsafeRawPointer.self))))
  }

  /// Runs `body`, in which the calling thread sleeps until `holder` gives something back; 0: nobody is known.
  @inline(__always)
  public static func around<R>(holder: UInt64, _ body: () -> R) -> R {
    let bits = begin.loadAcquire()  // acquire: pairs with install()
    return _fastPath(bits == 0 || holder == 0) ? body() : aroundTold(bits, holder, body)
  }

  @inline(never) private static func aroundTold<R>(_ bits: UInt64, _ holder: UInt64, _ body: () -> R) -> R {
    // SAFETY: the words are those of functions of these types, which stay.
    let begin = unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(bits)), to: Begin.self)
    let token = begin(holder)
    defer {
      if token != 0 {
        let word = end.loadRelaxed()  // relaxed: stored before what was loaded above
        unsafeBitCast(UnsafeRawPointer(bitPattern: UInt(word)), to: End.self)(token)
      }
    }
    return body()
  }
}
