// ProcessTasks.swift: Swift's tasks in a process that is read: all of them, found by the word that each begins with in
// the memory that the process has written; the threads on which they run; cycles among them that a second reading finds
// the same. What is shown of them is InspectedTasks.swift.
import SignalboxSystem
import SignalboxView

/// One reading of all tasks.
struct ProcessTasks {
  /// By their addresses.
  let tasks: [UInt64: TaskView]
  /// What threads run, by their numbers.
  let places: [Int32: Place]
  /// Tasks of which each waits for the value of the next, the last for that of the first; in the order of their numbers.
  private(set) var cycles: [[UInt64]] = []
  /// What could not be read, in words.
  private(set) var unread: [String] = []
  private let reader: TaskReader?

  /// Reads the tasks of a process.
  ///
  /// - Complexity: O(memory that the process has written).
  init(_ process: any ReadProcess) {
    let library: ConcurrencyLibrary
    switch ConcurrencyLibrary.find(in: process) {
    case .found(let found): library = found
    case .unknown(let why):
      (tasks, places, reader) = ([:], [:], nil)
      unread = ["tasks: \(why)"]
      return
    case .none:
      (tasks, places, reader) = ([:], [:], nil)
      return
    }
    let reader = TaskReader(.other(process.memory, description: []), library.runtime)
    let search = MemorySearch(process.memory, process.written)
    var candidates: [UInt64] = []
    search.forEach([library.runtime.kind]) { address, _ in candidates.append(address) }
    if search.unsearched > 0 {
      unread.append("tasks in \(search.unsearched >> 20) MB of its memory, which are too many to search")
    }
    let tasks = Dictionary(
      candidates.compactMap { reader.task($0) }.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
    (self.tasks, self.reader) = (tasks, reader)
    places = Self.places(tasks, library, process)
    cycles = standing
  }

  // MARK: sleeps

  /// The tasks of timers that end sleeps, by what they have in common with the tasks that sleep.
  var timers: [UInt64: TaskView] {
    Dictionary(
      tasks.values.filter { $0.sleep != 0 && ($0.state == .new || $0.state == .queued(0)) }.map { ($0.sleep, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  // MARK: threads

  /// What a thread does for tasks.
  struct Place: Equatable, Sendable {
    /// The task that it runs, and the executor on which; 0: none, the default executor.
    var task: UInt64, executor: UInt64
  }

  /// How many words of a thread are searched where the symbols were stripped.
  private static let strippedWords = 4

  /// The tasks and executors of threads, by the words that the runtime keeps for each thread.
  private static func places(
    _ tasks: [UInt64: TaskView], _ library: ConcurrencyLibrary, _ process: any ReadProcess
  ) -> [Int32: Place] {
    guard tasks.values.contains(where: { $0.state == .running }) else { return [:] }
    let ids = process.threads().map(\.id), memory = process.memory
    guard let records = CLibraryThreads(process, ids: Set(ids)), let part = records.part(of: library.image) else { return [:] }
    let awaited = Set(
      tasks.values.compactMap { if case .queued(let executor) = $0.state, executor != 0 { executor } else { nil } })
    var found: [Int32: Place] = [:]
    for id in ids {
      guard let place = records.place(ofPart: part, of: id) else { continue }
      func words(_ offset: UInt64?) -> [UInt64] {
        memory.words(ReadNumber(place &+ (offset ?? 0)), offset == nil ? strippedWords : 1)?.map(\.bits) ?? []
      }
      guard let task = words(library.threadWord).first(where: { tasks[$0]?.state == .running }) else { continue }
      // What the word leads to begins with the executor. Without its symbol only an executor counts for which tasks wait.
      let executors = words(library.executorWord).compactMap { memory.word64(ReadNumber($0))?.bits }
      let executor = library.executorWord == nil ? executors.first(where: awaited.contains) : executors.first
      found[id] = Place(task: task, executor: executor ?? 0)
    }
    return found
  }

  // MARK: cycles

  /// What a task waits for that other tasks alone can end: the value of one, or the end of any child of a group.
  private func awaited(by task: TaskView, _ children: [UInt64: [UInt64]]) -> [UInt64] {
    switch task.state {
    case .task(let other): [other]
    case .group(let group): children[group] ?? []
    case .running, .queued, .continuation, .new: []
    }
  }

  /// A task's value comes when it ends, and cancelling a task ends no wait for another's value. So tasks go on no more of
  /// which each waits for such ones alone, if a second reading finds each of them the same.
  private var standing: [[UInt64]] {
    let children = Dictionary(grouping: tasks.values.filter { $0.group != 0 }, by: \.group).mapValues { $0.map(\.address) }
    var stuck = tasks.filter { !awaited(by: $0.value, children).isEmpty }
    func leave(_ isKept: (TaskView) -> Bool) {
      var isStable = false
      while !isStable {
        let left = stuck.filter { isKept($0.value) && awaited(by: $0.value, children).allSatisfy { stuck[$0] != nil } }
        isStable = left.count == stuck.count
        stuck = left
      }
    }
    leave { _ in true }
    if stuck.isEmpty { return [] }
    let again = stuck.mapValues { reader?.task($0.address) }
    leave { again[$0.address] == $0 }
    let all = stuck.values.sorted { $0.number < $1.number }
    let places = Dictionary(all.indices.map { (all[$0].address, Int32($0)) }, uniquingKeysWith: { first, _ in first })
    return CycleSearch.cycles(among: all.indices.map { Int32($0) }) { place in
      awaited(by: all[Int(place)], children).compactMap { places[$0] }
    }.map { $0.map { all[Int($0)].address } }
  }
}
