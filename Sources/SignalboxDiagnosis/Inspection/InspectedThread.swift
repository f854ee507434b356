// InspectedThread.swift: one thread as it is read from another while both run: what it is inside of, what it runs, what it waits for and
// who has that. Each line is read twice; what differs is left out.
import CSignalbox
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// One thread at one moment.
struct InspectedThread: Sendable {
  let id: Int32
  let name: String
  /// The kernel's letter: R runs, S sleeps, D sleeps in the kernel's own business, T is stopped.
  let state: Character
  /// A thread of the diagnosis itself.
  let isOwn: Bool
  /// What it is inside of, the innermost first.
  var frames: [FrameWord] = []
  /// What it runs, of the innermost queue whose items it takes.
  var item: RunningItem?
  /// For how long it has been seen with that, in nanoseconds; nil: not known.
  var itemAge: UInt64?
  var wait: WaitView?
  /// The mutex of the C library that it sleeps for.
  var mutex: ForeignMutex?
  /// The system call that it sleeps in.
  var call: String?
  /// Return addresses, the innermost first.
  var stack: [UInt] = []
  /// Why the stack that was asked for is missing, or ends early.
  var stackGap: StackReading.Gap?
  /// It began or ended waits faster than they could be read.
  var isUnread = false
}

/// Reads threads of this process.
struct ThreadReader {
  let stacks: Inspection.Stacks
  private let entries: [Int32: ThreadTable.Entry]
  /// Threads that do not answer cost time: after that no more are asked for their stacks.
  private let stacksUntil: UInt64

  init(stacks: Inspection.Stacks) {
    self.stacks = stacks
    stacksUntil = Clock.uptime() &+ 2_000_000_000
    var found: [Int32: ThreadTable.Entry] = [:]
    _ = ThreadTable.first { entry in
      found[entry.thread] = entry
      return false
    }
    entries = found
  }

  /// Reads a thread; nil when it is gone.
  func read(_ id: Int32, isOwn: Bool) -> InspectedThread? {
    guard let kernel = KernelThread.nameAndState(id) else { return nil }
    var thread = InspectedThread(id: id, name: kernel.name, state: kernel.state, isOwn: isOwn)
    if isOwn { return thread }
    if let entry = entries[id] { readSlot(of: entry, &thread) }
    if thread.wait == nil, kernel.state == "S" { readCall(&thread) }
    if thread.stack.isEmpty, stacks == .all, Clock.uptime() < stacksUntil {
      let found = ThreadStack.reading(id, milliseconds: 20)
      (thread.stack, thread.stackGap) = (found.addresses, found.gap)
    }
    return thread
  }

  private func readSlot(of entry: ThreadTable.Entry, _ thread: inout InspectedThread) {
    switch WaitView.reading(of: entry) {
    case .waits(let wait):
      (thread.wait, thread.frames, thread.stack) = (wait, wait.frames, wait.stack)
      let item = FrameReading(of: entry).item
      // Its stack stood still while that was read.
      if Record(of: entry.owner).stableSequence == wait.sequence { thread.item = item }
    case .moves: thread.isUnread = true
    case .none:
      // The thread may be running: what is the same twice was so in between.
      let first = FrameReading(of: entry), second = FrameReading(of: entry)
      if first == second { (thread.frames, thread.item) = (second.frames, second.item) }
    }
  }

  private func readCall(_ thread: inout InspectedThread) {
    guard let call = KernelCall(of: thread.id) else { return }
    thread.call = call.name ?? "system call \(call.number)"
    thread.mutex = ForeignMutex.awaited(by: thread.id)
  }
}

/// The frames on a thread's stack, and the words of the item that its innermost drain runs.
private struct FrameReading: Equatable {
  var frames: [FrameWord] = []
  private var words: Slot?

  init(of entry: ThreadTable.Entry) {
    var found: [FrameWord] = [], words: Slot?
    entry.forEachFrame { frame, place in
      if frame.kind.isDrain, words == nil { words = DrainFrame.item(ofFrameAt: place) }
      found.append(frame)
      return true
    }
    // The thread has ended, and its slot is another's.
    guard ThreadTable.entry(owner: entry.owner) == entry else { return }
    (frames, self.words) = (found, words)
  }

  var item: RunningItem? { words.flatMap { ItemReader.own.item($0) } }
}

extension WaitView {
  enum Reading {
    case none, moves
    case waits(WaitView)
  }

  /// The wait of a thread. Tried a few times: a record may be written meanwhile.
  static func reading(of entry: ThreadTable.Entry) -> Reading {
    let record = Record(of: entry.owner)
    for _ in 0..<4 {
      guard let sequence = record.stableSequence else { continue }
      guard record[.owner] == entry.owner, record.kind != .none else { return .none }
      var wait = WaitView(record, sequence)
      let first = wait.end(in: .own, among: OwnThreadsView())
      guard record.stableSequence == sequence else { continue }
      // The second reading. An end that has changed was one thread's and is another's by now: both may be wrong.
      wait.end = wait.end(in: .own, among: OwnThreadsView()) == first ? first : .nothing
      if record.stableSequence == sequence { return .waits(wait) }
    }
    return .moves
  }

  private init(_ record: Record, _ sequence: UInt64) {
    self.init(
      sequence: sequence, owner: record[.owner], kind: record.kind, object: UInt(record[.object]), since: record[.since],
      isTimed: record.isTimed, park: (record[.park], UInt32(truncatingIfNeeded: record[.parkValue])), words: record.ownerWords,
      frames: record.frames, shared: [], stack: record.stackAddresses)
  }
}

/// This process's threads.
private struct OwnThreadsView: ThreadsView {
  var mainThread: Int32 { Threads.mainID }
  func thread(_ owner: UInt64) -> Int32? { ThreadTable.entry(owner: owner)?.thread }

  func waiters(inside object: UInt, except waiter: UInt64) -> [Int32] {
    var found: [Int32] = []
    _ = WaitRecord.contains(inside: object) { _, owner in
      if owner != waiter, let thread = thread(owner) { found.append(thread) }
      return false
    }
    return found
  }
}
