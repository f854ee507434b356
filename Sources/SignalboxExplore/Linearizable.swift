// Linearizable.swift: whether what several threads saw of an object can be explained by one order of their operations.
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

/// What threads saw of an object cannot be explained by any order of their operations.
///
/// ```swift
/// do {
///   try linearizable(0, [[1], [2]], model: { $0 += $1; return $0 }) { number in number }  // it forgets the sum
/// } catch let error as NotLinearizable {
///   print(error.description)  // each thread's operations with their answers
/// }
/// ```
public struct NotLinearizable: Error, CustomStringConvertible, Sendable {
  /// Each thread's operations with their answers.
  public let description: String
}

/// Runs sequences of operations on an object, each on a thread of its own, and checks that their answers are those of a plain model
/// under some order of the operations in which none comes before another that had ended when it began.
///
/// To be called in a body of `explore`, with few operations: the orders to be tried grow with their factorial in the worst case.
///
/// ```swift file
/// import SignalboxFoundation
/// func sumsAreLinearizable() throws {
///   try explore(schedules: 50) {
///     let sum = OSAllocatedUnfairLock(initialState: 0)
///     try linearizable(0, [[1], [2]], model: { $0 += $1; return $0 }) { n in sum.withLock { $0 += n; return $0 } }
///   }
/// }
/// ```
///
/// - Parameters:
///   - initial: the model before the first operation.
///   - threads: each thread's operations, in their order.
///   - model: does an operation to the model, and returns its answer.
///   - run: does it to the object. Called on several threads.
/// - Throws: `NotLinearizable` with what each thread saw; `ExploreTrouble` where the system has no thread.
public func linearizable<Model, Operation: Sendable, Answer: Equatable & Sendable>(
  _ initial: Model, _ threads: [[Operation]], model: (inout Model, Operation) -> Answer,
  run: @escaping @Sendable (Operation) -> Answer
) throws {
  let history = History<Operation, Answer>()
  let group = DispatchGroup()
  for (number, operations) in threads.enumerated() {
    group.enter()
    do throws(SystemError) {
      try Threads.spawn(name: "linear \(number + 1)") {
        for operation in operations {
          let begin = history.begin()
          history.end(History.Call(thread: number + 1, operation: operation, answer: run(operation), begin: begin, end: 0))
        }
        group.leave()
      }
    } catch {
      group.leave()
      throw ExploreTrouble("the system has no thread for operations: \(error)")
    }
  }
  group.wait()
  if !isExplained(history.calls, initial, model) { throw NotLinearizable(description: history.text) }
}

/// What was called, when it began and ended, and what it answered.
private final class History<Operation: Sendable, Answer: Sendable>: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`.
  struct Call: Sendable {
    let thread: Int
    let operation: Operation
    let answer: Answer
    let begin: Int
    var end: Int
  }
  private let lock = UnfairLock()
  private var time = 0
  private(set) var calls: [Call] = []

  func begin() -> Int {
    locked {
      time += 1; return time
    }
  }
  func end(_ call: Call) {
    locked {
      time += 1
      var call = call
      call.end = time
      calls.append(call)
    }
  }
  /// What notes the calls is no part of what is explored.
  private func locked<R>(_ body: () -> R) -> R {
    // In which order threads come here is a part of what they see.
    ExplorerLink.touch(instance: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    return ExplorerLink.unseen { lock.withLock(body) }
  }

  var text: String {
    let threads = Set(calls.map(\.thread)).sorted()
    let lines = threads.map { thread in
      let seen = calls.filter { $0.thread == thread }.map { "\($0.operation) -> \($0.answer) [\($0.begin)...\($0.end)]" }
      return "  thread \(thread): " + seen.joined(separator: ", ")
    }
    return "no order of the operations explains what the threads saw (in brackets: when each began and ended)\n"
      + lines.joined(separator: "\n")
  }
}

/// Whether the calls that are left can be ordered so that the model gives their answers. Each may be next that began before all others
/// had ended.
private func isExplained<Model, Operation, Answer: Equatable>(
  _ left: [History<Operation, Answer>.Call], _ state: Model, _ model: (inout Model, Operation) -> Answer
) -> Bool {
  guard let firstEnd = left.map(\.end).min() else { return true }
  return left.indices.contains { index in
    let call = left[index]
    guard call.begin <= firstEnd else { return false }
    var next = state
    guard model(&next, call.operation) == call.answer else { return false }
    var rest = left
    rest.remove(at: index)
    return isExplained(rest, next, model)
  }
}
