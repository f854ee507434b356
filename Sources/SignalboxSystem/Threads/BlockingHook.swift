// BlockingHook.swift: how a lock tells the pool, which lies above it, that one of its workers is about to sleep.
import CSignalbox

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
