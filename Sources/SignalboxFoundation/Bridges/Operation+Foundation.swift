// Operation+Foundation.swift: operations of ours that wait for operations of Foundation's, and the reverse.
public import Foundation

extension Operation {
  /// Makes this operation wait for the end of one of Foundation's, whatever runs that.
  ///
  /// - Returns: what it depends on in place of `op`: finished as soon as `op` is; `removeDependency` takes it.
  /// - Note: Costs two operations of Foundation's type; no thread waits. A circle that goes through both kinds is not reported.
  @discardableResult
  public func addDependency(_ op: Foundation.Operation) -> Operation {
    let standIn = BlockOperation(block: {})
    standIn.name = op.name
    addDependency(standIn)
    Herald.afterTheirs([op]) { standIn.start() }
    return standIn
  }
}

extension Foundation.Operation {
  /// Makes this operation wait for the end of one of ours, whatever runs that.
  ///
  /// - Returns: what it depends on in place of `op`: finished as soon as `op` is; `removeDependency` takes it.
  /// - Note: A circle that goes through both kinds is not reported.
  @discardableResult
  public func addDependency(_ op: SignalboxOperation) -> Foundation.Operation {
    let standIn = Foundation.BlockOperation {}
    standIn.name = op.name
    addDependency(standIn)
    Herald.afterOurs(op) { standIn.start() }
    return standIn
  }
}

/// Our Operation, by a name that also stands where Foundation's is nearer.
public typealias SignalboxOperation = SignalboxFoundation.Operation

/// Calls when operations are finished that were finished by anybody: by an operation that depends on them, which is all that both
/// kinds offer in public.
enum Herald {
  private static let theirs = Foundation.OperationQueue()
  private static let ours = OperationQueue()

  static func afterTheirs(_ operations: [Foundation.Operation], call: @escaping @Sendable () -> Void) {
    let herald = Foundation.BlockOperation(block: call)
    for operation in operations { herald.addDependency(operation) }
    theirs.addOperation(herald)
  }

  static func afterOurs(_ operation: Operation, call: @escaping @Sendable () -> Void) {
    let herald = BlockOperation(block: call)
    herald.addDependency(operation)
    ours.addOperation(herald)
  }
}
