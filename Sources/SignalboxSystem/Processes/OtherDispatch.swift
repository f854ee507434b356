// OtherDispatch.swift: the other libdispatch in this process, if one is loaded: the search for it, and its main queue,
// as far as names reach it. Which thread drains which main queue is MainThreadHost's (SignalboxDispatch).
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
  private let isFork: (@convention(c) () -> Bool)?
  private let isPrepared = Relaxed32(0)  // relaxed: nothing is read through it; a late reader asks once more

  /// Finds it; nil when there is no such library, or when the one that would be found is the image that holds this very code
  /// (the C face of this package is a libdispatch itself).
  public init?() {
    guard let found = Self.loaded ?? Self.linkedStatically, let queue = found.main_queue, let port = found.port,
      let callback = found.callback, let async = found.async, let setSpecific = found.set_specific,
      let getSpecific = found.get_specific
    else { return nil }
    // SAFETY: these names have had these C signatures in every release.
    self.queue = queue
    self.port = unsafeBitCast(port, to: Port.self)
    self.callback = unsafeBitCast(callback, to: Callback.self)
    self.async = unsafeBitCast(async, to: Async.self)
    self.getSpecific = unsafeBitCast(getSpecific, to: GetSpecific.self)
    isFork = Self.find("_dispatch_is_fork_of_multithreaded_parent")
      .map { unsafeBitCast($0, to: (@convention(c) () -> Bool).self) }
    // The mark by which isCurrent knows their main queue. The key is an address of ours, so nobody else's.
    unsafeBitCast(setSpecific, to: SetSpecific.self)(queue, Self.mark, UnsafeMutableRawPointer(mutating: Self.mark), nil)
  }

  /// Of a library that the loader knows, whenever it was loaded; all nil if that is this very image.
  private static var loaded: sb_libdispatch? {
    guard let callback = find("_dispatch_main_queue_callback_4CF") else { return nil }
    if sb_image_of(callback) == sb_image_of(mark) { return sb_libdispatch() }
    return sb_libdispatch(
      main_queue: find("_dispatch_main_q"), port: find("_dispatch_get_main_queue_port_4CF"), callback: callback,
      async: find("dispatch_async_f"), set_specific: find("dispatch_queue_set_specific"),
      get_specific: find("dispatch_get_specific"))
  }

  /// Of a library inside this image: a program linked with `-static-stdlib`, whose names the loader does not know.
  private static var linkedStatically: sb_libdispatch? { sb_linked_libdispatch() }

  private static var mark: UnsafeRawPointer { UnsafeRawPointer(sb_instruments_address()) }

  private static func find(_ name: StaticString) -> UnsafeMutableRawPointer? {
    sb_find_symbol(name.cString)
  }

  /// Whether the calling code runs on their main queue: the main thread from the start, or an item or job of theirs.
  public var isCurrent: Bool { getSpecific(Self.mark) != nil }

  /// Whether this process is the fork of one that had used it: nobody runs its queues here, and it may refuse to be used.
  public var isDead: Bool { isFork?() ?? false }

  /// Sees to it that their main queue has its descriptor. They open it at the first item or question, and stop the program if they
  /// cannot; later calls open nothing.
  ///
  /// - Throws: `SystemError` when the process has no descriptor left: nothing was called.
  public func prepare() throws(SystemError) {
    if isPrepared.load() == 1 { return }
    try DescriptorRoom.call(needing: 1) { _ = port() }
    isPrepared.store(1)
  }

  /// Their descriptor: readable while their main queue may hold items; nil once their `dispatch_main()` has ended the main
  /// thread, or when the process has no descriptor left. Asked anew each time: they close it.
  public var descriptor: Int32? {
    do { try prepare() } catch { return nil }
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

  /// Adds a call of `function` to their main queue. False, without having added it, when the process has no descriptor left.
  public func submit(_ function: Function) -> Bool {
    do { try prepare() } catch { return false }
    async(queue, nil, function)
    return true
  }
}

// MARK: the search, as the program is loaded; what it finds is kept forever

//   bits: 0 not searched for (a program without queues)   1 no other library   else the object
extension OtherDispatch {
  private static let bits = Atomic64(0)

  /// The other library; searched for at the first question.
  public static var here: OtherDispatch? {
    let bits = bits.loadAcquire()  // acquire: the object behind the bits is whole; pairs with the release in search()
    return bits == 0 ? search() : object(bits)
  }

  /// The other library if a search has found it. Searches for nothing.
  public static var found: OtherDispatch? { object(bits.loadAcquire()) }  // acquire: as in `here`

  /// Whether there is another library, as far as anybody has checked. relaxed: a hint, nothing is read through it.
  public static var isFound: Bool { bits.loadRelaxed() > 1 }

  private static func object(_ bits: UInt64) -> OtherDispatch? {
    guard bits > 1, let raw = UnsafeRawPointer(bitPattern: UInt(bits)) else { return nil }
    return Unmanaged<OtherDispatch>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Searches for the other library, again if it was not there: a library may be loaded later.
  @discardableResult @inline(never)
  public static func search() -> OtherDispatch? {
    let old = bits.loadAcquire()  // acquire: as in `here`
    if old > 1 { return object(old) }
    let made = Instruments.isForkedChild ? nil : OtherDispatch()
    let new = made.map { UInt64(UInt(bitPattern: Unmanaged.passRetained($0).toOpaque())) } ?? 1
    // release: publishes the object; pairs with the acquire in `here`. Who comes second gives its own away.
    let swap = bits.casAcqRel(old, new)
    if swap.exchanged { return made }
    if let made { Unmanaged.passUnretained(made).release() }
    return object(swap.original)
  }
}

extension Threads {
  /// Whether the calling thread counts as the main one: the process's first, or the one that runs the other library's
  /// main queue after the first has ended. Asks a library that was found already, as every one is that was there when
  /// the program began (`DispatchLayer`); searches for none.
  public static var countsAsMain: Bool { isMain || OtherDispatch.found?.isCurrent == true }
}
