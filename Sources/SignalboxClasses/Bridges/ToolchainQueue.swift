// ToolchainQueue.swift: a queue of the toolchain's Dispatch whose items run inside of items of ours.
//
//   their queue T  ->  its target R, which only we perform  ->  R's descriptor, read by a source on our queue Q
//
// An item comes to T, so T to R, and R counts its descriptor up. The source's handler, an item of Q, clears the descriptor and
// then performs R; what came before the clearing is performed, what comes after makes the descriptor readable again, so nothing
// is lost. T holds R, and a value of T's holds the bridge; when T ends, the source is cancelled, and its cancel handler, behind
// the last event, lets R go.
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
