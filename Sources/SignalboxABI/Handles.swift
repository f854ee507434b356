// Handles.swift: what a pointer of C's means. The object behind a dispatch_queue_t is the Swift object itself; only the main
// queue and the attributes are addresses of data symbols, recognised by comparison.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

/// Any dispatch object, or NULL.
public typealias Handle = UnsafeMutableRawPointer

extension Optional where Wrapped == UnsafeMutableRawPointer {
  /// Stops the program where C says that NULL is undefined.
  @inline(__always) func present(_ function: StaticString) -> UnsafeMutableRawPointer {
    if let self { return self }
    stopForNull(function)
  }

  /// The queue, lent for the call.
  @inline(__always) func queue(_ function: StaticString = #function) -> Unmanaged<DispatchQueue> {
    let raw = present(function)
    if _slowPath(raw == sb_abi_main_queue()) { return .passUnretained(mainQueue) }
    return .fromOpaque(raw)
  }

  @inline(__always) func group(_ function: StaticString = #function) -> Unmanaged<CGroup> { .fromOpaque(present(function)) }
  @inline(__always) func semaphore(_ function: StaticString = #function) -> Unmanaged<CSemaphore> {
    .fromOpaque(present(function))
  }
  @inline(__always) func source(_ function: StaticString = #function) -> Unmanaged<DispatchSource> {
    .fromOpaque(present(function))
  }

  /// Any object; nil for the attributes and other data symbols, which have no life of their own.
  @inline(__always) func object(_ function: StaticString = #function) -> Unmanaged<DispatchObject>? {
    let raw = present(function)
    return _slowPath(sb_abi_is_static(raw) != 0) ? mainQueueOrNil(raw) : .fromOpaque(raw)
  }

  /// The queue, if it is a serial, concurrent or global one: what most objects are that C asks about, known by one comparison. nil too
  /// before C has made the first.
  ///
  /// SAFETY: the first word of an object is its class; a data symbol's is 0, or lies among attributes, and no class either.
  @inline(__always) var plainQueue: Unmanaged<DispatchQueue>? {
    // relaxed: who has a queue has it from who made it, and knew its class
    guard let raw = self, raw.loadUnaligned(as: UInt64.self) == plainClass.loadRelaxed() else { return nil }
    return .fromOpaque(raw)
  }
}

/// The main queue. Nothing becomes its item or takes it for a target before it was asked for here.
private let mainQueue: DispatchQueue = {
  DispatchQueue.main.tellSanitizer(address: sb_abi_main_queue())
  return DispatchQueue.main
}()

/// The object behind the address of a data symbol.
@inline(never) private func mainQueueOrNil(_ raw: UnsafeMutableRawPointer) -> Unmanaged<DispatchObject>? {
  raw == sb_abi_main_queue() ? .passUnretained(mainQueue) : nil
}

@inline(never) private func stopForNull(_ function: StaticString) -> Never {
  CFaceSupport.stop(
    "\(function.cName) was given NULL where an object is needed; check the call that should have made that object")
}

extension StaticString {
  /// The C name of one of our functions, from `#function`.
  var cName: Substring { description.prefix { $0 != "(" } }
}

extension Unmanaged {
  /// Calls `body` with the object, without counting a reference.
  ///
  /// SAFETY: C's caller holds one, but perhaps only until what it asks for shows to others: an item, a handler or a thread that
  /// waits may give it back. So `body` either shows nothing, or touches the object no more once it has (README.md, "Lent and held").
  @inline(__always) func lend<R>(_ body: (Instance) -> R) -> R { Lent(self).use(body) }

  /// The same with a reference of the call's own.
  @inline(__always) func hold<R>(_ body: (Instance) -> R) -> R {
    let held = retain()
    defer { held.release() }
    return Lent(held).use(body)
  }
}

/// The class of plain queues as their first word has it; 1 before C has made one. A word, because asking for a class is a call.
private let plainClass = UnseenWord(1)

extension DispatchQueue {
  /// A new plain queue as C gets it: the caller's reference, +1.
  var createdPlain: Handle {
    plainClass.storeRelaxed(UInt64(UInt(bitPattern: ObjectIdentifier(DispatchQueue.self))))  // relaxed: as in plainQueue
    referenceIsCs()
    return created
  }

  /// The queue as C knows it; no reference is counted.
  var handle: Handle { self === DispatchQueue.main ? sb_abi_main_queue() : Unmanaged.passUnretained(self).toOpaque() }
}

extension DispatchObject {
  /// A new object as C gets it: the caller's reference, +1.
  var created: Handle { Unmanaged.passRetained(self).toOpaque() }
}

extension Unmanaged where Instance == DispatchObject {
  /// The object as one of exactly that class, without counting a reference: a comparison instead of a cast's walk through the
  /// superclasses.
  @inline(__always) func exactly<T: DispatchObject>(_ class: T.Type) -> Unmanaged<T>? {
    // SAFETY: the class was compared.
    lend { ObjectIdentifier(type(of: $0)) == ObjectIdentifier(`class`) } ? .fromOpaque(toOpaque()) : nil
  }

  /// Main and global queues: retaining, suspending and contexts mean nothing there.
  @inline(__always) var isImmortal: Bool {
    if let queue = exactly(DispatchQueue.self) { return queue.lend { $0.isShared } }
    return exactly(MainDispatchQueue.self) != nil
  }
}

/// A function that is called with its context: submitted work, a handler, a finalizer, a destructor. What carries the two is CWork.
public typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void

extension DispatchTimeoutResult {
  /// As C's functions return it: 0 in time, -1 too late.
  var number: Int { self == .success ? 0 : -1 }
}
