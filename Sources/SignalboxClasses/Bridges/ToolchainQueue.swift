// ToolchainQueue.swift: a queue of the toolchain's Dispatch whose items run inside of items of Signalbox's; why one
// cannot be made, and the thread that makes it.
//
//   their queue T  ->  its target R, which only Signalbox performs  ->  R's descriptor, read by a source on our queue Q
//
// An item comes to T, so T to R, and R counts its descriptor up. The source's handler, an item of Q, clears the
// descriptor and then performs R; what came before the clearing is performed, what comes after makes the descriptor
// readable again, so nothing is lost. T holds R, and a value of T's holds the bridge; when T ends, the source is
// cancelled, and its cancel handler, behind the last event, lets R go.
public import Dispatch
import Foundation
public import SignalboxDispatch
import SignalboxSystem

extension SignalboxDispatch.DispatchQueue {
  /// A serial queue of the toolchain's Dispatch whose items run as part of this queue's, for dependencies that require a queue
  /// of that type. Its items run in order, never at the same time as another item of a serial queue, and count as running on
  /// this queue for `dispatchPrecondition` and `getSpecific`.
  ///
  /// Its `sync` waits for this queue's turn. Called from code that runs on this queue, it would wait forever: use this queue
  /// itself there. Code running on the bridge is on both queues. While this queue is suspended, the bridge waits. The bridge
  /// lives as long as anything refers to it, and retains this queue. Each bridge has one open descriptor.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// let bridge = try store.makeToolchainQueue()  // for a dependency that takes the toolchain's type
  /// bridge.async { dispatchPrecondition(condition: .onQueue(store)) }
  /// ```
  ///
  /// - Parameter label: the new queue's label; nil means this queue's label.
  /// - Throws: `BridgeError` if the toolchain's library is missing or no descriptor is left.
  /// - Complexity: linear in the number of open descriptors.
  public func makeToolchainQueue(label: String? = nil) throws(BridgeError) -> Dispatch.DispatchQueue {
    guard let root = RunLoopThread.makeQueue() else {
      throw BridgeError(reason: OtherRunLoopQueue.isOffered ? .noDescriptor : .libraryNotFound)
    }
    let theirs = Dispatch.DispatchQueue(label: label ?? self.label, attributes: .initiallyInactive)
    guard let handle = theirs.handle else { throw BridgeError(reason: .libraryNotFound) }
    root.becomeTarget(of: handle)
    theirs.activate()
    let step = {
      theirs.async {}
      root.perform()
    }
    guard let descriptor = EventCounts.descriptor(that: step) else { throw BridgeError(reason: .noDescriptor) }
    EventCounts.clear(descriptor)
    theirs.setSpecific(key: ToolchainBridge.key, value: ToolchainBridge(from: root, descriptor, to: self))
    return theirs
  }
}

extension Dispatch.DispatchQueue {
  /// The C object behind the wrapper; nil if wrappers are no longer made that way.
  fileprivate var handle: OpaquePointer? {
    Mirror(reflecting: self).children.lazy.compactMap { $0.value as? OpaquePointer }.first
  }
}

/// Performs a queue of the toolchain's whenever its descriptor says so, until the last reference to it goes.
private final class ToolchainBridge: Sendable {
  static let key = Dispatch.DispatchSpecificKey<ToolchainBridge>()
  private let source: any SignalboxDispatch.DispatchSourceRead

  init(from root: OtherRunLoopQueue, _ descriptor: Int32, to queue: SignalboxDispatch.DispatchQueue) {
    source = SignalboxDispatch.DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      EventCounts.clear(descriptor)
      root.perform()
    }
    source.setCancelHandler { withExtendedLifetime(root) {} }
    source.activate()
  }
  deinit { source.cancel() }
}

// MARK: why a bridge cannot be made

/// The reason why a bridge between Signalbox's queues and the toolchain's cannot be made.
///
/// ```swift
/// do {
///   _ = try DispatchQueue(label: "store").makeToolchainQueue()
/// } catch {
///   print(error.reason, error.description)
/// }
/// ```
public struct BridgeError: Error, CustomStringConvertible, Sendable {
  /// The possible reasons.
  ///
  /// ```swift
  /// do {
  ///   _ = try DispatchQueue(label: "store").makeToolchainQueue()
  /// } catch {
  ///   switch error.reason {
  ///   case .libraryNotFound: print("the program is linked without the toolchain's dynamic libraries")
  ///   case .noDescriptor: print("the process has no descriptor left")
  ///   }
  /// }
  /// ```
  public enum Reason: Sendable {
    /// The toolchain's Dispatch is not loaded as a dynamic library, or lacks its functions for run loops; for example in a
    /// program linked with `-static-stdlib`.
    case libraryNotFound
    /// The process has no descriptor left, or /proc is not mounted.
    case noDescriptor
  }
  /// The reason of this error.
  public let reason: Reason
  /// The reason in words, and what to do about it.
  public var description: String {
    switch reason {
    case .libraryNotFound:
      "no bridge to the toolchain's Dispatch: its functions for run loops were not found in this process; link the program "
        + "dynamically, or give the dependency a queue of its own and call async in its handlers"
    case .noDescriptor:
      "no bridge to the toolchain's Dispatch: its event descriptor could not be opened or found; close descriptors, or raise "
        + "their limit (ulimit -n), and see that /proc is mounted"
    }
  }
}

// MARK: the thread that makes the queues

// The toolchain's library takes it for the one of the bridges' run loops.

/// Makes the toolchain's run loop queues. Their library stops the program when the thread that made such a queue calls `sync` to
/// what runs on it: "the loop would wait for itself". Bridges have no loop of that kind, so their queues are made by a thread that
/// lives as long as the process and calls nothing else. It sleeps but for that.
///
/// Thread safety: any thread.
enum RunLoopThread {
  /// One request: the thread fills in the queue.
  private final class Request: Sendable {
    let done = SignalboxDispatch.DispatchSemaphore(value: 0)
    // SAFETY: written by the thread before it signals `done`, read by one that has waited for that.
    nonisolated(unsafe) var queue: OtherRunLoopQueue?
  }
  private static let requests = Requests()

  /// A new queue to be performed; nil without the library's functions, or when a thread or descriptor is refused.
  static func makeQueue() -> OtherRunLoopQueue? {
    let request = Request()
    guard requests.add(request) else { return nil }
    request.done.wait()
    return request.queue
  }

  /// The requests, and whether their thread runs.
  private final class Requests: Sendable {
    private let lock = NSLock()
    private let arrived = SignalboxDispatch.DispatchSemaphore(value: 0)
    // SAFETY: both guarded by `lock`.
    private nonisolated(unsafe) var waiting: [Request] = []
    private nonisolated(unsafe) var isRunning = false

    func add(_ request: Request) -> Bool {
      let isServed = lock.withLock { () -> Bool in
        if !isRunning { isRunning = start() }
        if isRunning { waiting.append(request) }
        return isRunning
      }
      if isServed { arrived.signal() }
      return isServed
    }

    private func start() -> Bool {
      ForkGuard.arm()
      do {
        try Threads.spawn(name: "signalbox.loop") { [self] in
          while true { serveNext() }
        }
        return true
      } catch { return false }
    }

    private func serveNext() {
      arrived.wait()
      let request = lock.withLock { waiting.removeFirst() }
      request.queue = OtherRunLoopQueue()
      request.done.signal()
    }
  }
}
