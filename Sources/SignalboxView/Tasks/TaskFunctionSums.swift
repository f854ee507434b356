// TaskFunctionSums.swift: reads for how long the tasks of each function ran, were queued, and waited between their
// parts, since figures are on (TaskRegisterLayout). Times of one task are TaskTimes.swift.
import SignalboxWords

/// The sums of the tasks that began in one function. Times are ticks of the processor's counter.
package struct TaskFunctionSum: Equatable, Sendable {
  /// The function, and the one that it may call, if it is a thunk; 0: not known. Of tasks whose beginning was not seen,
  /// or for which no row was left, both are 0.
  package let function: UInt64, inner: UInt64
  /// How many tasks have begun in it or were queued for that, and how many of their parts have begun.
  package let tasks: UInt64, parts: UInt64
  /// For how long parts that have ended ran, for how long tasks were queued before parts that have begun, and how long
  /// they were neither before they were queued again.
  package let busy: UInt64, queued: UInt64, between: UInt64
}

extension TaskFunctionSum {
  /// The sums in this memory, of rows that have any; none where there is no register. They are added to while they are
  /// read: each number is that of some moment of the reading.
  package static func all(in memory: ReadMemory) -> [TaskFunctionSum] {
    typealias Layout = TaskRegisterLayout
    typealias Sum = TaskRegisterLayout.Sum
    let start = memory.described(.taskFunctions)
    guard start != 0, start & 7 == 0, let functions = memory.words(start, Layout.sums) else { return [] }
    let closures = ClosureReader(memory)
    return (0..<Layout.rows).compactMap { row in
      let function = functions[row * Layout.functionWords], inner = functions[row * Layout.functionWords + 1]
      if row != 0, function == 0 { return nil }
      var sums = [UInt64](repeating: 0, count: Layout.sumWords)
      for table in 0..<Layout.sumTables {
        let place = UInt64(Layout.sums + (table * Layout.rows + row) * Layout.sumWords)
        guard let words = memory.words(start &+ place &* 8, Layout.sumWords) else { return nil }
        for index in words.indices { sums[index] &+= words[index] }
      }
      func ticks(_ sum: Int) -> UInt64 { Layout.ticks(sums[sum] << Layout.tagBits) }
      let tasks = sums[Sum.tasks], parts = sums[Sum.parts]
      if tasks == 0, parts == 0 { return nil }
      return TaskFunctionSum(
        function: function, inner: inner == 0 ? 0 : UInt64(closures.asyncFunction(described: UInt(inner)) ?? 0),
        tasks: tasks, parts: parts, busy: ticks(Sum.busy), queued: ticks(Sum.queued), between: ticks(Sum.between))
    }
  }
}
