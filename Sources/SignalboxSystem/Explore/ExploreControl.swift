// ExploreControl.swift: the way from an operation of the seam to an explorer in this process that chooses when threads go on, and what
// a load reads. The explorer lies above and leaves its functions here.
#if Explore
import CSignalbox

/// The memory order of an operation, by the compiler's numbers.
@usableFromInline enum ExploreOrder: Int32, Sendable {
  case relaxed = 0
  case acquiring = 2, releasing, acquiringAndReleasing, sequentiallyConsistent
}

/// What an explorer does at the seam's operations on threads of its own.
///
/// A thread is the explorer's from the time that it has a private engine, until it ends. On others nothing is called.
public struct ExploreControl: Sendable {
  /// The thread is about to do an operation; others may go on before it does. Returns whether the operation is to be noted.
  public typealias Before =
    @convention(c) (_ kind: UInt32, _ word: UnsafeRawPointer, _ width: UInt32, _ order: UInt32) -> Int32
  /// The thread has loaded `value`. Returns what the load is to return.
  public typealias Loaded =
    @convention(c) (_ word: UnsafeRawPointer, _ width: UInt32, _ order: UInt32, _ value: UInt64) -> UInt64
  /// The thread has found `old` in the word and, if `wrote` is not 0, written `new`.
  public typealias Changed =
    @convention(c) (
      _ word: UnsafeRawPointer, _ width: UInt32, _ order: UInt32, _ old: UInt64, _ new: UInt64, _ wrote: Int32
    ) -> Void
  /// The thread sleeps while the word holds `expected`: 0 woken, 1 another value, 2 the deadline has passed, -1 not the explorer's.
  public typealias Park =
    @convention(c) (_ word: UnsafeRawPointer, _ expected: UInt32, _ deadline: UInt64, _ isWall: Int32, _ set: UInt32) -> Int32
  /// How many threads were woken; -1: not the explorer's.
  public typealias Wake = @convention(c) (_ word: UnsafeRawPointer, _ count: Int32, _ set: UInt32) -> Int32
  /// All threads pass a full barrier. 0: not the explorer's.
  public typealias Fence = @convention(c) () -> Int32

  let before: Before, loaded: Loaded, changed: Changed, park: Park, wake: Wake, fence: Fence

  /// The functions of an explorer.
  public init(
    before: @escaping Before, loaded: @escaping Loaded, changed: @escaping Changed, park: @escaping Park, wake: @escaping Wake,
    fence: @escaping Fence
  ) {
    (self.before, self.loaded, self.changed) = (before, loaded, changed)
    (self.park, self.wake, self.fence) = (park, wake, fence)
  }

  // SAFETY: written once, before any thread has a private engine; making those threads orders what came before.
  nonisolated(unsafe) private static var installed: ExploreControl?

  /// Sets the explorer: once, before any thread has a private engine.
  public static func install(_ control: ExploreControl) { installed = control }

  /// The explorer of the calling thread; nil: it has none, or is ending.
  static var ofCaller: ExploreControl? {
    let thread = sb_thread_get().pointee
    return thread.engine == nil || thread.is_ending != 0 ? nil : installed
  }

  /// Whether the calling thread has one.
  @usableFromInline static var hasCaller: Bool { ofCaller != nil }
}
#endif
