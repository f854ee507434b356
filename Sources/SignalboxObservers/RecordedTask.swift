// RecordedTask.swift: what a recording has of a task of Swift's that is about to run: its number, its name, its parent
// and the chain of awaits by which it goes on; or which actor's tasks run. The task is the thread's own until it runs,
// so its words stay as they are. A chain is named once; after that an event has its number alone.
import SignalboxRecorder
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension RecordedJob {
  /// Writes which task the job is, before its beginning is written; nothing of a runtime that lays out tasks in another
  /// way, and of a job of another kind.
  ///
  /// - Parameter inner: the course's `inner`.
  @inline(never)
  func writeTask(_ course: Course, _ inner: UInt64) {
    guard Self.isLayoutKnown else { return }
    let flags = word(JobLayout.flags)
    switch flags & 0xFF {
    case 0: writeTask(flags, TaskChain(self, course, inner), begins: course.beginning != nil)
    case JobLayout.actorsKind: writeActor(UInt(word(JobLayout.context)))
    default: break
    }
  }

  private static let isLayoutKnown = TaskRuntime.own != nil

  private func writeTask(_ flags: UInt64, _ chain: TaskChain, begins: Bool) {
    let number = flags >> 32, kind = UInt32(truncatingIfNeeded: flags), state = taskWord(TaskLayout.Word.state)
    RecordHooks.name(.chain, chain.number) {
      _ = TaskChain.named.addRelaxed(1)  // relaxed: a bound, no more
      return chain.text
    }
    var traits: UInt64 = 0, parent: UInt64 = 0
    if state & UInt64(TaskLayout.State.isCancelled) != 0 { traits |= TaskTraits.isCancelled }
    if kind & TaskLayout.Flags.isAsyncLet != 0 { traits |= TaskTraits.isAsyncLet }
    if begins {
      traits |= TaskTraits.begins
      if kind & TaskLayout.Flags.isNamed != 0 { writeName() }
      // A parent lives as long as its children.
      if kind & TaskLayout.Flags.isChild != 0 {
        parent = Self.word(UInt(taskWord(TaskLayout.Word.parent)) &+ JobLayout.flags) >> 32
      }
    }
    RecordHooks.write(.taskRuns, number | traits, chain.number, parent)
  }

  /// The actor is alive: it has work.
  private func writeActor(_ actor: UInt) {
    let type = Self.word(actor)
    // SAFETY: an object's first word leads to the description of its class, which stays.
    RecordHooks.name(.type, type) { "\(unsafeBitCast(UInt(type), to: Any.Type.self))" }
    RecordHooks.write(.taskRuns, 0, UInt64(actor), type)
  }

  /// The name is bytes up to a zero, which the task has with its records. A longer one ends in the recording.
  private func writeName() {
    var record = UInt(taskWord(TaskLayout.Word.records)), left = Self.mostRecords
    while record != 0, left > 0 {
      let words = UnsafeRawPointer.at(record).assumingMemoryBound(to: UInt64.self)
      if words[TaskLayout.Record.kind] & 0xFF == UInt64(TaskLayout.Record.name) {
        return writeName(UnsafeRawPointer.at(UInt(words[TaskLayout.Record.what])).assumingMemoryBound(to: UInt8.self))
      }
      (record, left) = (UInt(words[TaskLayout.Record.next]), left - 1)
    }
  }

  private func writeName(_ text: UnsafePointer<UInt8>) {
    var place = 0
    for _ in 0..<Self.mostNameEvents {
      var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
      for shift in 0..<18 where text[place] != 0 {
        let byte = UInt64(text[place]) << UInt64(shift % 6 * 8)
        switch shift / 6 {
        case 0: words.0 |= byte
        case 1: words.1 |= byte
        default: words.2 |= byte
        }
        place += 1
      }
      if words.0 == 0 { return }
      RecordHooks.write(.taskNamed, words.0, words.1, words.2)
    }
  }

  private func taskWord(_ word: Int) -> UInt64 { self.word(UInt(word) * 8) }
  private static let mostRecords = 64, mostNameEvents = 4
}

/// The functions with which a task and those that await it go on, the innermost first. Reading it allocates nothing but
/// for the text.
private struct TaskChain {
  private let first: UInt64, second: UInt64, frame: UInt, most: Int
  /// By it the chain is named.
  let number: UInt64
  /// Longer chains have their innermost functions alone. Functions that call one another may make as many chains as
  /// there are ways among them: once that many have names, the others have two functions, of which a program has few
  /// pairs.
  private static let mostFrames = 24, mostNamed: UInt64 = 4_096, leastFrames = 1
  /// How many chains have got a name.
  static let named = Atomic64(0)

  /// Of a task that has not begun its beginning alone.
  init(_ job: RecordedJob, _ course: RecordedJob.Course, _ inner: UInt64) {
    if course.beginning == nil {
      (first, second, frame) = (job.word(JobLayout.resume), 0, UInt(job.word(JobLayout.context)))
    } else {
      (first, second, frame) = inner == 0 ? (course.function, 0, 0) : (inner, course.function, 0)
    }
    most = Self.named.loadRelaxed() < Self.mostNamed ? Self.mostFrames : Self.leastFrames  // relaxed: as above
    var sum: UInt64 = 0
    Self.forEach(first, second, frame, most) { function in
      sum = (sum ^ function) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 29
    }
    number = sum & (TaskTraits.chain - 1) | TaskTraits.chain
  }

  var text: String {
    var parts: [String] = []
    Self.forEach(first, second, frame, most) { parts.append(String($0, radix: 16)) }
    return parts.joined(separator: " ")
  }

  @inline(__always)
  private static func forEach(
    _ first: UInt64, _ second: UInt64, _ frame: UInt, _ most: Int, _ body: (UInt64) -> Void
  ) {
    body(first)
    if second != 0 { body(second) }
    var here = frame, left = most
    while here != 0, left > 0 {
      let words = UnsafeRawPointer.at(here).assumingMemoryBound(to: UInt64.self)
      let next = words[TaskLayout.Frame.resume]
      // A continuation's frame says once more where the task goes on.
      if next != 0, here != frame || next != first { body(next) }
      let outer = UInt(words[TaskLayout.Frame.parent])
      if outer == here { return }
      (here, left) = (outer, left - 1)
    }
  }
}
