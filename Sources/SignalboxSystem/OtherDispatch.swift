// OtherDispatch.swift: the other libdispatch in this process, if one is loaded: its main queue, as far as it can be reached by
// name. Who drains which main queue is MainThreadHost's (SignalboxDispatch).
import CSignalbox

/// The main queue of the libdispatch that Foundation and Swift's concurrency run on. Found at run time; nothing is loaded.
///
/// Thread safety: any thread, except where a thread is named.
public final class OtherDispatch: Sendable {
  private typealias Port = @convention(c) () -> Int32
  private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Void
  /// A C function and the form in which the other library calls it back.
  public typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Async = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Function) -> Void
  private typealias GetSpecific = @convention(c) (UnsafeRawPointer) -> UnsafeMutableRawPointer?
  private typealias SetSpecific =
    @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer?, Function?) -> Void

  // SAFETY: the address of a static object of the other library, which is never unloaded once threads have used it.
  nonisolated(unsafe) private let queue: UnsafeMutableRawPointer
  private let port: Port
  private let callback: Callback
  private let async: Async
  private let getSpecific: GetSpecific

  /// Finds it; nil when no such library is loaded, or when the one that would be found is the image that holds this very code
  /// (the C face of this package is a libdispatch itself).
  public init?() {
    guard let callback = Self.find("_dispatch_main_queue_callback_4CF"), Self.isElsewhere(callback),
      let port = Self.find("_dispatch_get_main_queue_port_4CF"), let queue = Self.find("_dispatch_main_q"),
      let async = Self.find("dispatch_async_f"), let setSpecific = Self.find("dispatch_queue_set_specific"),
      let getSpecific = Self.find("dispatch_get_specific")
    else { return nil }
    // SAFETY: these names have had these C signatures in every release.
    self.queue = queue
    self.port = unsafeBitCast(port, to: Port.self)
    self.callback = unsafeBitCast(callback, to: Callback.self)
    self.async = unsafeBitCast(async, to: Async.self)
    self.getSpecific = unsafeBitCast(getSpecific, to: GetSpecific.self)
    // The mark by which isCurrent knows their main queue. The key is an address of ours, so nobody else's.
    unsafeBitCast(setSpecific, to: SetSpecific.self)(queue, Self.mark, UnsafeMutableRawPointer(mutating: Self.mark), nil)
  }

  private static var mark: UnsafeRawPointer { UnsafeRawPointer(sb_instruments_address()) }

  private static func find(_ name: StaticString) -> UnsafeMutableRawPointer? {
    name.withUTF8Buffer { sb_find_symbol(UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self)) }
  }

  private static func isElsewhere(_ address: UnsafeMutableRawPointer) -> Bool {
    sb_image_of(address) != sb_image_of(mark)
  }

  /// Whether the calling code runs on their main queue: the main thread from the start, or an item or job of theirs.
  public var isCurrent: Bool { getSpecific(Self.mark) != nil }

  /// Their descriptor: readable while their main queue may hold items; nil once their `dispatch_main()` has ended the main
  /// thread, or when the process has no descriptor left. Asked anew each time: they close it.
  public var descriptor: Int32? {
    let descriptor = port()
    return descriptor >= 0 ? descriptor : nil
  }

  /// Runs what their main queue holds now; from inside one of its items it does nothing.
  ///
  /// - Precondition: `isCurrent`, on the process's first thread: they stop the program otherwise.
  public func runPending() {
    // Cleared first: an item added from here on makes it readable again.
    if let descriptor {
      var counter: UInt64 = 0
      _ = sb_read(descriptor, &counter, 8)  // EAGAIN: nothing pending; EINVAL: no event but a set of them, which they clear
    }
    callback(nil)
  }

  /// Adds a call of `function` to their main queue.
  public func submit(_ function: Function) { async(queue, nil, function) }
}
