// TaskReader.swift: reads a task of Swift's at an address. What was freed may look like a task for a while: so a task
// counts if its counts of references are a living one's, and its flags, number and state make sense. It is read until
// two readings in a row say the same, four times at most: then the functions are those of one moment, since a task that
// went on meanwhile has another state, another frame, or another function.
import CSignalbox
import SignalboxWords

/// What the runtime says of its tasks.
package struct TaskRuntime: Equatable, Sendable {
  /// The word that every task begins with.
  package var kind: UInt64
  /// Functions of its own that call the program's: those with which a task begins, and those with which one goes on
  /// that has waited for another.
  package var starters: Set<UInt64>, resumers: Set<UInt64>

  /// A runtime that says this.
  package init(kind: UInt64, starters: Set<UInt64>, resumers: Set<UInt64>) {
    (self.kind, self.starters, self.resumers) = (kind, starters, resumers)
  }

  /// This process's own; nil: it has none, or one that lays tasks out in another way. Asks nothing of the loader.
  package static var own: TaskRuntime? {
    var words = sb_task_runtime()
    guard sb_read_task_runtime(&words) != 0, words.version == TaskLayout.version, UInt64(words.size) == TaskLayout.size else {
      return nil
    }
    return TaskRuntime(
      kind: UInt64(words.kind), starters: [UInt64(words.starters.0), UInt64(words.starters.1)],
      resumers: [UInt64(words.resumers.0), UInt64(words.resumers.1)])
  }
}

/// Reads tasks. Allocates.
package struct TaskReader: Sendable {
  let memory: ReadMemory
  let runtime: TaskRuntime
  /// Longer chains are not followed.
  private static let mostFrames = 256, mostRecords = 64
  /// How many words are copied at once from a task's beginning: most of its frames and records lie behind it.
  private static let copied = 128

  /// The tasks of a runtime in this memory.
  package init(_ memory: ReadMemory, _ runtime: TaskRuntime) { (self.memory, self.runtime) = (memory, runtime) }

  /// The task at an address; nil: no task lives there.
  package func task(_ address: UInt64) -> TaskView? {
    var last: TaskView?
    for _ in 0..<4 {
      guard let now = reading(address) else { return nil }
      if now == last { return now }
      last = now
    }
    // It goes on again and again: what it waited for is over.
    last?.awaits = []
    return last
  }

  /// The children of a group, by the group's own list, in which those stay that it has not taken yet; nil: the list
  /// cannot be followed. A search may miss a task: what is certain rests on this.
  package func children(ofGroup group: UInt64) -> [UInt64]? {
    guard var here = memory.word64(group &+ TaskLayout.firstChild * 8) else { return nil }
    var found: [UInt64] = []
    while here != 0 {
      guard found.count < Self.mostChildren, here & 15 == 0,
        let next = memory.word64(here &+ UInt64(TaskLayout.Word.nextChild) * 8)
      else { return nil }
      found.append(here)
      here = next
    }
    return found
  }
  private static let mostChildren = 100_000

  private func reading(_ address: UInt64) -> TaskView? {
    // Without its first word, by which tasks are found: where a process reads itself, a copy of the whole would be
    // taken for a task when the next reading finds it in freed memory.
    guard address & 15 == 0, memory.word64(address) == runtime.kind,
      let rest = memory.words(address &+ 8, Self.copied) ?? memory.words(address &+ 8, TaskLayout.Word.count - 1)
    else { return nil }
    let words = Copy(start: address &+ 8, words: rest, memory: memory)
    let flags = UInt32(truncatingIfNeeded: words[TaskLayout.Word.flags])
    let isAsyncLet = flags & TaskLayout.Flags.isAsyncLet != 0
    guard TaskLayout.isAlive(words[TaskLayout.Word.references], isAsyncLet: isAsyncLet) else { return nil }
    let number = UInt32(truncatingIfNeeded: words[TaskLayout.Word.flags] >> 32)
    let state = UInt32(truncatingIfNeeded: words[TaskLayout.Word.state])
    let base = UInt8(truncatingIfNeeded: words[TaskLayout.Word.priority]), priority = UInt8(state & TaskLayout.State.priority)
    // A task has a priority from the beginning, which is only raised.
    guard flags & TaskLayout.Flags.kinds == 0, number != 0, words[TaskLayout.Word.state] >> 32 == 0,
      state & TaskLayout.State.isOver == 0, base != 0, priority >= base
    else { return nil }
    var made = TaskView(
      address: address, number: number, name: "", priority: priority, basePriority: base,
      isCancelled: state & TaskLayout.State.isCancelled != 0, isAsyncLet: isAsyncLet,
      parent: flags & TaskLayout.Flags.isChild == 0 ? 0 : words[TaskLayout.Word.parent],
      group: flags & TaskLayout.Flags.isGroupChild == 0 ? 0 : words[TaskLayout.Word.group],
      state: state & TaskLayout.State.isRunning != 0 ? .running : state & TaskLayout.State.isQueued != 0 ? .queued(0) : .new,
      awaits: [], sleep: 0)
    readRecords(words[TaskLayout.Word.records], waits: state & TaskLayout.State.waits != 0, words, into: &made)
    if made.state != .running {
      readFrames(words[TaskLayout.Word.resume], words[TaskLayout.Word.frame], words, into: &made)
    }
    return made
  }

  /// Words from a task's second one on, and the memory where others lie.
  private struct Copy {
    let start: UInt64, words: [UInt64], memory: ReadMemory

    /// A word of the task that is not its first.
    subscript(word: Int) -> UInt64 { words[word - 1] }

    func words(_ address: UInt64, _ count: Int) -> ArraySlice<UInt64>? {
      guard address & 7 == 0 else { return nil }
      let place = (address &- start) / 8
      if address >= start, place < UInt64(words.count), words.count - Int(place) >= count {
        return words[Int(place)..<Int(place) + count]
      }
      return memory.words(address, count)?[...]
    }
  }

  /// - Parameter waits: the innermost record of a wait is that of the present one.
  private func readRecords(_ first: UInt64, waits: Bool, _ copy: Copy, into task: inout TaskView) {
    var here = first, left = Self.mostRecords, waits = waits
    while here != 0, left > 0, let words = copy.words(here, TaskLayout.Record.count).map(Array.init) {
      let what = words[TaskLayout.Record.what]
      switch UInt8(truncatingIfNeeded: words[TaskLayout.Record.kind]) {
      case TaskLayout.Record.wait where waits && task.state != .running:
        waits = false
        switch TaskLayout.Awaited(rawValue: UInt32(truncatingIfNeeded: words[TaskLayout.Record.awaited])) {
        case .task?: task.state = .task(what)
        case .continuation?: task.state = .continuation(what)
        case .group?: task.state = .group(what)
        case .executor?: task.state = .queued(what)
        case nil: break
        }
      case TaskLayout.Record.cancellation where task.sleep == 0:
        // Of a sleep it leads to the task again; of other handlers to anything.
        let token = memory.word64(words[TaskLayout.Record.argument] &+ TaskLayout.sleep) ?? 0
        if memory.word64(token).map({ $0 & ~7 }) == task.address { task.sleep = token }
      case TaskLayout.Record.child: task.lets.append(what)
      case TaskLayout.Record.name: task.name = memory.zeroEnded(what) ?? ""
      default: break
      }
      here = words[TaskLayout.Record.next]
      left -= 1
    }
  }

  /// The chain from the function with which the task goes on to its outermost frame.
  private func readFrames(_ resume: UInt64, _ frame: UInt64, _ copy: Copy, into task: inout TaskView) {
    if !runtime.starters.contains(resume) {
      task.awaits = runtime.resumers.contains(resume) ? [] : [resume]
    } else if let closure = copy.words(frame &- TaskLayout.Frame.closure, 2).map(Array.init) {
      // The closure's function is mostly a thunk, which may have the program's closure in what it captured: of these
      // words a reader takes those that are functions.
      task.awaits = ClosureReader(memory).asyncClosure(UInt(closure[1])).map { UInt64($0) } + [closure[0]]
      task.sleep = memory.word64(closure[1] &+ TaskLayout.sleep) ?? 0
      return  // no function awaits it before it begins
    }
    var here = frame
    while here != 0, task.awaits.count < Self.mostFrames, let words = copy.words(here, 2).map(Array.init) {
      // A continuation's frame says once more where the task goes on.
      if here != frame || task.state != .continuation(frame) || task.awaits != [words[TaskLayout.Frame.resume]] {
        task.awaits.append(words[TaskLayout.Frame.resume])
      }
      let parent = words[TaskLayout.Frame.parent]
      if parent == here { break }
      here = parent
    }
  }
}

// MARK: a task as its memory shows it: values

/// One task.
package struct TaskView: Equatable, Sendable {
  /// What a task does.
  package enum State: Equatable, Sendable {
    /// Its function runs on a thread.
    case running
    /// It lies in an executor's list; 0: the default executor's.
    case queued(UInt64)
    /// It waits for the value of another task.
    case task(UInt64)
    /// It waits for a continuation, which is the frame at the address.
    case continuation(UInt64)
    /// It waits for a child of a group.
    case group(UInt64)
    /// It was made, and nothing has begun it; a clock's timer begins it, or it is just being submitted.
    case new
  }

  /// Where it lies, and its number: counted from 1 in the process.
  package var address: UInt64, number: UInt32
  /// What `Task(name:)` called it; empty without.
  package var name: String
  /// The number of its priority, as it is now and as it was made.
  package var priority: UInt8, basePriority: UInt8
  package var isCancelled: Bool
  /// It is an `async let`.
  package var isAsyncLet: Bool
  /// The task whose child it is, and the group; 0: none.
  package var parent: UInt64, group: UInt64
  package var state: State
  /// The functions with which it and those that await it go on, the innermost first; none of a task that runs.
  package var awaits: [UInt64]
  /// What a task that sleeps and the timer's task that ends the sleep have in common: a word's address, which has the
  /// task's. Of a task that has not begun any word, of others 0.
  package var sleep: UInt64
  /// Whether it waits for a clock: for the continuation that a timer's task resumes.
  package var isAsleep: Bool { if case .continuation = state { sleep != 0 } else { false } }
  /// The tasks that are its `async let`.
  package var lets: [UInt64] = []
}
