// Operation+Foundation.swift: operations of Signalbox's that wait for operations of Foundation's, and the reverse.
public import Foundation
import SignalboxDispatch
import SignalboxSystem

extension Operation {
  /// Makes this operation wait until an operation of Foundation's has finished, whatever runs it.
  ///
  /// ```swift
  /// let download = Foundation.BlockOperation { print("first: an operation of Foundation's") }
  /// let parse = BlockOperation { print("second: one of Signalbox's") }
  /// parse.addDependency(download)
  /// OperationQueue().addOperation(parse)
  /// Foundation.OperationQueue().addOperation(download)
  /// ```
  ///
  /// - Returns: the dependency added in place of `op`. It finishes as soon as `op` does; pass it to `removeDependency` to
  ///   remove it.
  /// - Note: Costs two operations of Foundation's type; no thread waits. A dependency cycle with operations of both types is
  ///   reported by the call that closes it, if that is one of these two calls and the cycle has at most 10,000 operations.
  @discardableResult
  public func addDependency(_ op: Foundation.Operation) -> Operation {
    let standIn = OurStandIn(for: op)
    standIn.name = op.name
    addDependency(standIn)
    Herald.afterTheirs([op]) { standIn.start() }
    CrossLibraryCycle.check(from: .ours(self))
    return standIn
  }
}

extension Foundation.Operation {
  /// Makes this operation wait until one of Signalbox's has finished, whatever runs it.
  ///
  /// ```swift
  /// let parse = BlockOperation { print("first: an operation of Signalbox's") }
  /// let show = Foundation.BlockOperation { print("second: one of Foundation's") }
  /// show.addDependency(parse)
  /// Foundation.OperationQueue().addOperation(show)
  /// OperationQueue().addOperation(parse)
  /// ```
  ///
  /// - Returns: the dependency added in place of `op`. It finishes as soon as `op` does; pass it to `removeDependency` to
  ///   remove it.
  /// - Note: For cycles, see the call in the other direction.
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
    CrossLibraryCycle.check(from: .theirs(self))
    return standIn
  }
}

/// Signalbox's `Operation`, by a name that also works where Foundation's hides it.
///
/// ```swift file
/// import Foundation
/// func cancelAll(_ operations: [SignalboxOperation]) {  // in a file where `Operation` would be Foundation's
///   for operation in operations { operation.cancel() }
/// }
/// ```
public typealias SignalboxOperation = SignalboxClasses.Operation

/// Calls when operations are finished, whatever code finished them: by an operation that depends on them, which is all
/// that both kinds offer in public.
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
