// OperationLayer.swift: operations and their queues as the diagnosis knows them. Which thread an operation names is OperationWaits.swift;
// what each needs, in the search for stalls, OperationNodes.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Registered while the image is loaded, so before any operation is made.
struct OperationLayer: DiagnosedLayer {
  private let nodes = OperationNodes()

  // MARK: names

  func name(_ kind: WaitKind, _ address: UInt) -> String? {
    switch kind {
    case .operation: Self.lent(address, Operation.self).use { $0.title }
    case .operationQueue: Self.lent(address, OperationQueue.self).use { $0.title }
    default: nil
    }
  }

  func description(_ kind: WaitKind, _ address: UInt) -> String? {
    guard kind == .operation || kind == .operationQueue else { return nil }
    // In cycles of both kinds an operation may be Foundation's: only what it is tells.
    return Self.lent(address, NSObject.self).use { ($0 as? Operation)?.text ?? ($0 as? OperationQueue)?.text }
  }

  // Names are the program's to tell, by a call: without the object there is the address alone.
  func copiedDescription(_ kind: WaitKind, _ address: UInt) -> String? {
    guard kind == .operation || kind == .operationQueue else { return nil }
    return ObjectText.foundation(kind == .operation ? "NSOperation" : "NSOperationQueue", nil, address, [])
  }

  // SAFETY: a waiting thread refers to the object, and stands still.
  private static func lent<Object: AnyObject>(_ address: UInt, _ type: Object.Type) -> Lent<Object> {
    Lent(at: UInt64(address))
  }

  // MARK: the search for stalls

  func addNodes(to snapshot: inout WaitSnapshot) { nodes.addNodes(to: &snapshot) }
  func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool { nodes.hasAnswer(kind, object) }
  func title(of address: UInt) -> String? { nodes.title(of: address) }
  func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String? { nodes.reason(at: address, isStuck) }
  var whoChanges: String? {
    "code that cancels or starts one of these operations, takes a dependency away, or raises a queue's maximum"
  }
  func endScan() -> Bool { nodes.endScan() }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Layers.register(OperationLayer()) }
