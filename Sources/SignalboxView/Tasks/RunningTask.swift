// RunningTask.swift: the task that a thread of this process runs, and the functions that await the one under way. A
// task that runs does not keep up the words that say where it goes on. But its memory does: a function that calls an
// async one takes a frame for it from the task's memory right before the call, and gives it back right after the call's
// end. So the newest allocation that is a frame is that of the function under way, and each frame names the one that
// awaits it.
import CSignalbox
import SignalboxSystem
import SignalboxWords

/// A task that a thread runs. Allocates.
package struct RunningTask: Sendable, Equatable {
  /// Where it lies, and its number: counted from 1 in the process.
  package let address: UInt64, number: UInt32
  /// What `Task(name:)` called it; empty without.
  package let name: String
  /// The functions with which those go on that await the one under way, the innermost first; nil: they are not known.
  package let awaits: [UInt64]?

  /// The task of a thread of this process; nil: it runs none, or that is not known. Right while the thread stands
  /// still.
  package init?(on thread: ThreadTable.Entry) {
    guard let runtime = TaskRuntime.own else { return nil }
    let reader = TaskReader(.own, runtime)
    guard let task = Self.current(on: thread, reader) else { return nil }
    let awaits = reader.awaiting(running: task.address)
    // Nothing of what was read in between is another task's.
    guard Self.current(on: thread, reader) == task else { return nil }
    (address, number, name, self.awaits) = (task.address, task.number, task.name, awaits)
  }

  /// One of the runtime's words of the thread is the task. In a program that contains the runtime the program's own
  /// words lie among these: if they lead to two tasks that run, neither is known to be the thread's.
  private static func current(on thread: ThreadTable.Entry, _ reader: TaskReader) -> TaskView? {
    let words = sb_task_words()
    guard words.size > 0 else { return nil }
    var found: TaskView?
    for index in 0..<words.size / 8 {
      let place = thread.record &+ UInt(bitPattern: words.distance) &+ UInt(index) * 8
      guard let word = SafeMemory.word64(place), word != 0, word & 15 == 0, word != found?.address,
        reader.memory.word64(word) == reader.runtime.kind, let task = reader.task(word), task.state == .running
      else { continue }
      if found != nil { return nil }
      found = task
    }
    return found
  }
}

extension TaskReader {
  /// No more allocations are followed.
  private static let mostAllocations = 1024
  /// A task's first frame lies behind its words, and behind the room for its result.
  private static let mostBeforeFrame: UInt64 = 1 << 16

  /// The functions that await the one with which the task at the address runs, the innermost first; nil: they cannot be
  /// established. Of two readings both must find the same.
  package func awaiting(running task: UInt64) -> [UInt64]? {
    guard let first = chain(ofRunning: task), chain(ofRunning: task) == first else { return nil }
    return first
  }

  private func chain(ofRunning task: UInt64) -> [UInt64]? {
    guard let live = allocations(of: task) else { return nil }
    let frames = Set(live)
    func parent(of frame: UInt64) -> UInt64? {
      guard let parent = memory.word64(frame), parent != frame else { return nil }
      return frames.contains(parent) || isFirstFrame(parent, of: task) ? parent : nil
    }
    // None: the task's own function is under way, and it has called none.
    guard var here = live.first(where: { parent(of: $0) != nil }) else { return [] }
    var found: [UInt64] = []
    while !isFirstFrame(here, of: task) {
      guard let next = parent(of: here), let resume = memory.word64(here &+ UInt64(TaskLayout.Frame.resume) * 8),
        CodeAddress.mayBe(resume), found.count < Self.mostAllocations
      else { return nil }
      found.append(resume)
      here = next
    }
    return found
  }

  /// No function awaits it, and the task's own memory has it.
  private func isFirstFrame(_ frame: UInt64, of task: UInt64) -> Bool {
    let distance = frame &- task
    guard frame & 7 == 0, distance >= TaskLayout.size, distance < Self.mostBeforeFrame else { return false }
    return memory.word64(frame) == 0
  }

  /// What the task has of its memory, the newest first; nil: the words do not fit one another.
  private func allocations(of task: UInt64) -> [UInt64]? {
    guard var here = memory.word64(task &+ UInt64(TaskLayout.Word.lastAllocation) * 8),
      let first = memory.word64(task &+ UInt64(TaskLayout.Word.firstSlab) * 8)
    else { return nil }
    if here == 0 { return [] }
    guard let kind = memory.word64(first &+ TaskLayout.Slab.kind * 8), kind != 0 else { return nil }
    var found: [UInt64] = []
    while here != 0 {
      guard found.count < Self.mostAllocations, here & 15 == 0,
        let previous = memory.word64(here &+ TaskLayout.Allocation.previous * 8),
        let slab = memory.word64(here &+ TaskLayout.Allocation.slab * 8),
        memory.word64(slab &+ TaskLayout.Slab.kind * 8) == kind, let used = memory.word64(slab &+ TaskLayout.Slab.used * 8),
        here >= slab &+ TaskLayout.Slab.first, here < slab &+ TaskLayout.Slab.first &+ used >> 32
      else { return nil }
      found.append(here &+ TaskLayout.Allocation.bytes)
      here = previous
    }
    return found
  }
}
