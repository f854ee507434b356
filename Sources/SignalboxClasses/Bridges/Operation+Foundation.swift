// Operation+Foundation.swift: operations of ours that wait for operations of Foundation's, and the reverse.
public import Foundation
import SignalboxDispatch
import SignalboxSystem

extension Operation {
  /// Makes this operation wait for the end of one of Foundation's, whatever runs that.
  ///
  /// - Returns: what it depends on in place of `op`: finished as soon as `op` is; `removeDependency` takes it.
  /// - Note: Costs two operations of Foundation's type; no thread waits. A circle of operations of both kinds is reported by the
  ///   call that closes it, if that is one of these two and the circle has at most 10,000 operations.
  @discardableResult
  public func addDependency(_ op: Foundation.Operation) -> Operation {
    let standIn = OurStandIn(for: op)
    standIn.name = op.name
    addDependency(standIn)
    Herald.afterTheirs([op]) { standIn.start() }
    MixedCircle.check(from: .ours(self))
    return standIn
  }
}

extension Foundation.Operation {
  /// Makes this operation wait for the end of one of ours, whatever runs that.
  ///
  /// - Returns: what it depends on in place of `op`: finished as soon as `op` is; `removeDependency` takes it.
  /// - Note: Circles: see the reverse.
  @discardableResult
  public func addDependency(_ op: SignalboxOperation) -> Foundation.Operation {
    let standIn = TheirStandIn(for: op)
    standIn.name = op.name
    addDependency(standIn)
    // Kept until the stand-in has ended: Foundation keeps dependents without a reference, and may tell one that is going.
    Herald.afterOurs(op) { [self] in
      standIn.start()
      withExtendedLifetime(self) {}
    }
    MixedCircle.check(from: .theirs(self))
    return standIn
  }
}

/// Our Operation, by a name that also stands where Foundation's is nearer.
public typealias SignalboxOperation = SignalboxClasses.Operation

/// Calls when operations are finished that were finished by anybody: by an operation that depends on them, which is all that both
/// kinds offer in public.
enum Herald {
  private static let theirs = Foundation.OperationQueue()
  private static let ours = OperationQueue()

  static func afterTheirs(_ operations: [Foundation.Operation], call: @escaping @Sendable () -> Void) {
    let herald = Foundation.BlockOperation(block: call)
    for operation in operations { herald.addDependency(operation) }
    RetrySoon.until { OtherPool.use { theirs.addOperation(herald) } }
  }

  static func afterOurs(_ operation: Operation, call: @escaping @Sendable () -> Void) {
    let herald = BlockOperation(block: call)
    herald.addDependency(operation)
    ours.addOperation(herald)
  }
}
