// OtherPool.swift: the first use of the other libdispatch's threads, which opens descriptors. Its main queue is OtherDispatch.swift.
import CSignalbox

/// The worker threads of the toolchain's libdispatch. The first one opens descriptors (a poller, an event and an alarm), and stops
/// the program if it cannot.
///
/// Thread safety: any thread.
public enum OtherPool {
  private typealias GetGlobal = @convention(c) (Int, UInt) -> UnsafeMutableRawPointer?
  private typealias Async =
    @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, @convention(c) (UnsafeMutableRawPointer?) -> Void) ->
    Void

  private static let descriptors = 3
  private static let isStarted = Relaxed32(0)  // relaxed: nothing is read through it; a late reader starts them once more

  /// Calls `body`, which has those threads run something now or later. False, without a call: they were never started from here, and
  /// the process has not enough descriptors left for it.
  public static func use(_ body: () -> Void) -> Bool {
    if isStarted.load() == 0 {
      do { try DescriptorRoom.call(needing: descriptors, start) } catch { return false }
      isStarted.store(1)
    }
    body()
    return true
  }

  /// Has one of them run nothing.
  private static func start() {
    guard let global = sb_find_symbol("dispatch_get_global_queue"), let async = sb_find_symbol("dispatch_async_f") else {
      return
    }
    // SAFETY: these names have had these C signatures in every release.
    guard let queue = unsafeBitCast(global, to: GetGlobal.self)(0, 0) else { return }
    unsafeBitCast(async, to: Async.self)(queue, nil) { _ in }
  }
}
