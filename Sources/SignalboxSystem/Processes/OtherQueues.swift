// OtherQueues.swift: what is used of the other libdispatch besides its main queue, and opens descriptors: its threads,
// and queues that are performed as run loops do. Its main queue is OtherDispatch.swift.
import CSignalbox

// MARK: the first use of its threads

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

// MARK: a queue whose items run when it is performed

/// A queue of the libdispatch that Foundation runs on, at the bottom of a hierarchy of its queues: what they hold runs when, and
/// where, this one is performed. The library opens a descriptor (eventfd) for it, and says nowhere which.
///
/// Thread safety: any thread, except where it is named. The functions are the library's private ones for run loops; they have had
/// these signatures in every release.
public final class OtherRunLoopQueue: @unchecked Sendable {
  private typealias Create = @convention(c) (UnsafePointer<CChar>?, UInt) -> UnsafeMutableRawPointer?
  private typealias Perform = @convention(c) (UnsafeMutableRawPointer) -> Bool
  private typealias SetTarget = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
  private typealias Release = @convention(c) (UnsafeMutableRawPointer) -> Void

  // SAFETY of @unchecked: an object of the other library, never changed, which this one holds a reference to until it ends.
  private let queue: UnsafeMutableRawPointer
  private let performNext: Perform
  private let setTarget: SetTarget
  private let release: Release

  /// Creates one; nil when no other library is loaded, when it lacks a function that is needed, or the process a descriptor.
  public init?() {
    guard let create = Self.create,
      let perform = Self.find("_dispatch_runloop_root_queue_perform_4CF", as: Perform.self),
      let setTarget = Self.find("dispatch_set_target_queue", as: SetTarget.self),
      let release = Self.find("dispatch_release", as: Release.self)
    else { return nil }
    var made: UnsafeMutableRawPointer?
    // They stop the program if they cannot open it.
    do { try DescriptorRoom.call(needing: 1) { made = create(nil, 0) } } catch { return nil }
    guard let queue = made else { return nil }
    self.queue = queue
    self.performNext = perform
    self.setTarget = setTarget
    self.release = release
  }
  deinit { release(queue) }

  /// Whether there is a library that makes such queues.
  public static var isOffered: Bool { create != nil }
  private static var create: Create? { find("_dispatch_runloop_root_queue_create_4CF", as: Create.self) }

  /// Makes this the target of `queue`, which is not active yet.
  public func becomeTarget(of queue: OpaquePointer) { setTarget(UnsafeMutableRawPointer(queue), self.queue) }

  /// Runs what is at its head on the calling thread, if anything is. One thread at a time.
  public func perform() { _ = performNext(queue) }

  private static func find<Function>(_ name: StaticString, as: Function.Type) -> Function? {
    let address = sb_find_symbol(name.cString)
    // SAFETY: the type is the one by which the library declares the function of this name.
    return address.map { unsafeBitCast($0, to: Function.self) }
  }
}
