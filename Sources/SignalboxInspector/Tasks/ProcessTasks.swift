// ProcessTasks.swift: Swift's tasks in a process that is read, with the threads on which they run. How tasks are found
// is TaskSet.swift (SignalboxView); what is shown of them InspectedTask.swift.
import SignalboxSystem
import SignalboxView

/// One reading of all tasks.
struct ProcessTasks {
  /// nil: there are none, or they are not known.
  let set: TaskSet?
  /// What threads run, by their numbers.
  let places: [Int32: Place]
  /// The threads of tasks that slept in one and the same call all the while that was read, and for 20 ms at least.
  private(set) var asleep: Set<Int32> = []
  /// What could not be read, in words.
  private(set) var unread: [String] = []

  /// Reads the tasks of a process.
  ///
  /// - Parameter progress: called with how many bytes were searched of how many.
  /// - Complexity: O(memory that the process has written).
  init(_ process: any ReadProcess, progress: (_ done: UInt64, _ total: UInt64) -> Void) {
    switch ConcurrencyLibrary.find(in: process) {
    case .found(let library):
      let set = TaskSet(process.memory, process.written, library.runtime, progress: progress)
      (self.set, places) = (set, Self.places(set.tasks, library, process))
      asleep = Self.asleep(Set(places.keys), process)
      if set.unsearched > 0 {
        unread.append("tasks in \(set.unsearched >> 20) MB of its memory, which are too many to search")
      }
    case .unknown(let why): (set, places, unread) = (nil, [:], ["tasks: \(why)"])
    case .none: (set, places) = (nil, [:])
    }
  }

  /// Whether tasks wait for one another.
  static func hasDeadlock(_ process: any ReadProcess) -> Bool {
    guard case .found(let library) = ConcurrencyLibrary.find(in: process) else { return false }
    return !TaskSet(process.memory, process.written, library.runtime).cycles.isEmpty
  }

  // MARK: threads

  private struct Sleep: Equatable { var call: KernelCall, switches: UInt64? }
  private static let pause: UInt64 = 20_000_000

  /// A thread that runs a task sleeps for a moment now and then, for a lock of the heap's, say: that keeps no other
  /// task.
  private static func asleep(_ ids: Set<Int32>, _ process: any ReadProcess) -> Set<Int32> {
    let threads = ids.isEmpty ? [] : process.threads().filter { ids.contains($0.id) }
    func sleeps() -> [Int32: Sleep] {
      threads.reduce(into: [:]) { found, thread in
        found[thread.id] = process.call(of: thread).map { Sleep(call: $0, switches: process.switches(of: thread)) }
      }
    }
    let before = sleeps()
    if before.isEmpty { return [] }
    if let now = process.now {
      let pause = Atomic32(0)
      // No thread wakes it: the time ends it.
      while Clock.uptime() < now &+ Self.pause { pause.park(expected: 0, deadline: .uptime(now &+ Self.pause)) }
    }
    let after = sleeps()
    return Set(before.filter { $0.value.switches != nil && after[$0.key] == $0.value }.keys)
  }

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
      // What the word leads to begins with the executor. Without its symbol only an executor counts for which tasks
      // wait.
      let executors = words(library.executorWord).compactMap { memory.word64(ReadNumber($0))?.bits }
      let executor = library.executorWord == nil ? executors.first(where: awaited.contains) : executors.first
      found[id] = Place(task: task, executor: executor ?? 0)
    }
    return found
  }
}
