// TaskSet.swift: all of Swift's tasks in a process: found by the word that each begins with in the memory that the
// process has written, each read as TaskReader does; and cycles among them that a second reading finds the same.
import SignalboxSystem

/// One reading of all tasks.
package struct TaskSet: Sendable {
  /// By their addresses.
  package let tasks: [UInt64: TaskView]
  /// Tasks of which each waits for the value of the next, the last for that of the first; in the order of their
  /// numbers.
  package private(set) var cycles: [[UInt64]] = []
  /// How many bytes were not searched, because there are too many.
  package let unsearched: UInt64
  private let reader: TaskReader

  /// Reads the tasks of a runtime in this memory, of which `parts` were written.
  ///
  /// - Parameter progress: called with how many bytes were searched of how many.
  /// - Complexity: O(bytes of the parts).
  package init(
    _ memory: any ProcessMemory, _ parts: [Range<ReadNumber>], _ runtime: TaskRuntime,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) {
    let reader = TaskReader(.other(memory, description: []), runtime), search = MemorySearch(memory, parts)
    var candidates: [UInt64] = []
    search.forEach([runtime.kind], progress: progress) { address, _ in candidates.append(address) }
    let found = candidates.compactMap { reader.task($0) }.map { ($0.address, $0) }
    let all = Dictionary(found, uniquingKeysWith: { first, _ in first })
    // An `async let` lies in its parent's memory, and its counts of references never change: it lives if its parent's
    // records lead to it.
    tasks = all.filter { !$0.value.isAsyncLet || all[$0.value.parent]?.lets.contains($0.key) == true }
    unsearched = search.unsearched
    self.reader = reader
    cycles = standing
  }

  /// In the order of their numbers.
  package var sorted: [TaskView] { tasks.values.sorted { $0.number < $1.number } }

  /// The tasks that sleep, by the addresses of the timers' tasks that end the sleeps: both lead to one word.
  package var sleepers: [UInt64: TaskView] {
    let timers = Dictionary(
      tasks.values.filter { $0.sleep != 0 && ($0.state == .new || $0.state == .queued(0)) }.map { ($0.sleep, $0.address) },
      uniquingKeysWith: { first, _ in first })
    let sleeping = tasks.values.compactMap { task -> (UInt64, TaskView)? in
      guard task.isAsleep, let timer = timers[task.sleep] else { return nil }
      return (timer, task)
    }
    return Dictionary(sleeping, uniquingKeysWith: { first, _ in first })
  }

  /// The children of groups that have not ended, by the groups' addresses.
  package var children: [UInt64: [TaskView]] { Dictionary(grouping: tasks.values.filter { $0.group != 0 }, by: \.group) }

  // MARK: cycles

  /// What a task waits for that other tasks alone can end: the value of one, or the end of any child of a group.
  private func awaited(by task: TaskView) -> [UInt64] {
    switch task.state {
    case .task(let other): [other]
    case .group(let group): reader.children(ofGroup: group) ?? []
    case .running, .queued, .continuation, .new: []
    }
  }

  /// A task's value comes when it ends, and cancelling a task ends no wait for another's value. So tasks go on no more
  /// of which each waits for such ones alone, if a second reading finds each of them the same.
  private var standing: [[UInt64]] {
    let edges = tasks.mapValues { awaited(by: $0) }.filter { !$0.value.isEmpty }
    var stuck = tasks.filter { edges[$0.key] != nil }
    func leave(_ isKept: (TaskView) -> Bool) {
      var isStable = false
      while !isStable {
        let left = stuck.filter { isKept($0.value) && edges[$0.key]?.allSatisfy { stuck[$0] != nil } == true }
        isStable = left.count == stuck.count
        stuck = left
      }
    }
    leave { _ in true }
    if stuck.isEmpty { return [] }
    let again = stuck.mapValues { reader.task($0.address) }
    leave { again[$0.address] == $0 && awaited(by: $0) == edges[$0.address] }
    let all = stuck.values.sorted { $0.number < $1.number }
    let places = Dictionary(all.indices.map { (all[$0].address, Int32($0)) }, uniquingKeysWith: { first, _ in first })
    return CycleSearch.cycles(among: all.indices.map { Int32($0) }) { place in
      edges[all[Int(place)].address]?.compactMap { places[$0] } ?? []
    }.map { $0.map { all[Int($0)].address } }
  }
}
