// Gathered.swift: values that several threads hand in, one at a time, in any order.

// SAFETY of @unchecked: `list` is guarded by `lock`.
final class Gathered<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Value] = []

  func add(_ value: Value) { lock.withLock { list.append(value) } }

  var values: [Value] { lock.withLock { list } }
}
