// InvocationOperation.swift: an operation that calls a method of an object, and keeps what it returns.
import SignalboxLocks

/// The reason why an invocation has no result.
///
/// ```swift
/// func show(_ operation: InvocationOperation) throws {
///   do { print(try operation.result ?? "not finished yet") }
///   catch InvocationOperationError.cancelled { print("cancelled before it ran") }
///   catch InvocationOperationError.void { print("the action returns no value") }
/// }
/// ```
public enum InvocationOperationError: Error, Sendable {
  /// The operation was cancelled before it ran.
  case cancelled
  /// The action returns no value.
  case void
}

/// An operation that calls an action of a target.
///
/// Thread safety: as for `Operation`. The target is retained until the operation is deallocated, and is used on the thread that
/// runs the operation.
///
/// ```swift file
/// final class Store: Sendable {
///   func size(of name: String) -> Int { name.utf8.count }
/// }
/// func measure(_ name: String, in store: Store) throws -> Int? {
///   let operation = InvocationOperation(target: store, action: Store.size(of:), object: name)
///   operation.start()
///   return try operation.result as? Int
/// }
/// ```
open class InvocationOperation: Operation, @unchecked Sendable {
  // SAFETY of @unchecked: `call` is constant, `outcome` guarded by `lock`.
  private final let call: () throws -> Any?
  @exclusivity(unchecked) private final var outcome: Result<Any?, any Error>?

  /// Creates an operation that calls `action` of `target` with `argument`:
  /// `InvocationOperation(target: player, action: Player.play, object: song)`.
  ///
  /// ```swift file
  /// final class Player: Sendable {
  ///   func play(_ song: String) { print("plays", song) }
  /// }
  /// func enqueue(_ song: String, on queue: OperationQueue, for player: Player) {
  ///   queue.addOperation(InvocationOperation(target: player, action: Player.play, object: song))
  /// }
  /// ```
  public init<Target: AnyObject, Argument, Value>(
    target: Target, action: @escaping (Target) -> (Argument) throws -> Value, object argument: Argument
  ) {
    call = { try Self.boxed(action(target)(argument)) }
    super.init()
  }

  /// Creates an operation that calls `action` of `target`: `InvocationOperation(target: player, action: Player.stop)`.
  /// `argument` is ignored.
  ///
  /// ```swift file
  /// final class Player: Sendable {
  ///   func stop() { print("stopped") }
  /// }
  /// func stop(_ player: Player, on queue: OperationQueue) {
  ///   queue.addOperation(InvocationOperation(target: player, action: Player.stop))
  /// }
  /// ```
  public init<Target: AnyObject, Value>(
    target: Target, action: @escaping (Target) -> () throws -> Value, object argument: Any? = nil
  ) {
    call = { try Self.boxed(action(target)()) }
    super.init()
  }

  private static func boxed<Value>(_ value: Value) throws -> Any? {
    if Value.self == Void.self { throw InvocationOperationError.void }
    return value
  }

  /// Calls the action.
  ///
  /// ```swift file
  /// final class TimedInvocation: InvocationOperation, @unchecked Sendable {
  ///   override func main() {
  ///     let begin = ContinuousClock.now
  ///     super.main()
  ///     print("took", ContinuousClock.now - begin)
  ///   }
  /// }
  /// ```
  open override func main() {
    let outcome = Result { try call() }
    lock.withLock { self.outcome = outcome }
  }

  /// The return value of the action; nil until the operation has finished.
  ///
  /// ```swift file
  /// final class Store: Sendable {
  ///   func size(of name: String) -> Int { name.utf8.count }
  /// }
  /// func size(of name: String, in store: Store) throws -> Int {
  ///   let operation = InvocationOperation(target: store, action: Store.size(of:), object: name)
  ///   operation.start()
  ///   return try operation.result as? Int ?? 0
  /// }
  /// ```
  ///
  /// - Throws: `InvocationOperationError` if there is none, or the error that the action threw.
  open var result: Any? {
    get throws {
      if let outcome = lock.withLock({ outcome }) { return try outcome.get() }
      if isFinished || isCancelled { throw InvocationOperationError.cancelled }
      return nil
    }
  }
}
