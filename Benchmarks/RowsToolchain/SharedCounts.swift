// SharedCounts.swift: what CapturingRows changes beside an object, in the shape of SharedArray.swift: a concurrent queue with barriers
// around a value. What Signalbox has in their place is in the other Subject.swift.
import Dispatch

// SAFETY of @unchecked: the value is touched in barriers of the queue only.
class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let accessQueue = DispatchQueue(label: "SyncAccess", attributes: .concurrent)

  init(_ value: Value) { self.value = value }

  func withLock<R>(_ body: (inout Value) -> R) -> R { accessQueue.sync(flags: .barrier) { body(&value) } }
}

// SAFETY of @unchecked: it has nothing of its own.
final class SharedCounts: Guarded<[UInt64]>, @unchecked Sendable {
  func update<R>(at index: Int, _ body: (inout UInt64) -> R) -> R? {
    withLock { numbers in numbers.indices.contains(index) ? body(&numbers[index]) : nil }
  }
}

// SAFETY of @unchecked: it has nothing of its own.
final class SharedTable: Guarded<[Int: UInt64]>, @unchecked Sendable {
  func update<R>(forKey key: Int, _ body: (inout UInt64) -> R) -> R? {
    withLock { table in table.index(forKey: key).map { body(&table.values[$0]) } }
  }

  func update<R>(forKey key: Int, default value: UInt64, _ body: (inout UInt64) -> R) -> R {
    withLock { table in body(&table[key, default: value]) }
  }

  func value(forKey key: Int, orInsert make: () -> UInt64) -> UInt64 {
    withLock { table in
      if let value = table[key] { return value }
      let value = make()
      table[key] = value
      return value
    }
  }
}
