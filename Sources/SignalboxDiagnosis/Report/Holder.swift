// Holder.swift: a thread that has what another waits for, and what it does meanwhile: for reports whose finding is not a cycle. Threads of
// a cycle are DeadlockReport's participants.
import SignalboxSystem
import SignalboxWaits

/// A thread that keeps another waiting. Each part was so at a moment: the thread may go on while it is read.
struct Holder: Sendable {
  /// What it does.
  enum Deed: Sendable, Equatable {
    case computes
    /// It waits for the object of that name.
    case waits(String)
    /// It sleeps in the system call of that title; nil: the kernel does not tell which.
    case sleeps(String?)
    case hasEnded
  }

  /// The kernel's number of the thread.
  var threadID: UInt64
  /// The thread in words.
  var title: String
  /// What it has, in words.
  var has: String
  var deed: Deed
  /// Where it is, as return addresses; empty if that is not known.
  var stack: [UInt]

  /// No report lists more.
  static let most = 8

  /// The threads that keep `threads` waiting, those that keep these waiting, and so on: each once, and the nearest first. What keeps the
  /// calling thread waiting is left out: its own wait would be read as one whose object is there.
  static func behind(_ threads: [Int32]) -> [Holder] {
    var found: [Holder] = [], seen: Set<Int32> = [], next = threads[...]
    while let thread = next.popFirst(), found.count < most {
      if thread == ThreadSlot.kernelID() { continue }
      for edge in MixedWalk.Edge.all(from: thread) where found.count < most && edge.part.next != thread {
        guard seen.insert(edge.part.next).inserted else { continue }
        found.append(Holder(edge.part))
        if !threads.contains(edge.part.next) { next.append(edge.part.next) }
      }
    }
    return found
  }

  /// The thread for which this one waits.
  private init(_ wait: MixedCycle.Participant) {
    let thread = wait.next, entry = ThreadTable.entry(thread: thread)
    threadID = UInt64(thread)
    title = Self.title(thread, entry)
    has = ObjectNaming.name(wait.kind, wait.object, .byCopy)
    (deed, stack) = Self.deed(thread, entry)
  }

  private static func title(_ thread: Int32, _ entry: ThreadTable.Entry?) -> String {
    if thread == Threads.mainID { return "the main thread (\(thread))" }
    let label = entry.flatMap { ObjectNaming.drainedLabel($0.frames, .byCopy) }
    return label.map { "thread \(thread) on queue \"\($0)\"" }
      ?? "thread \"\(KernelThread.name(UInt64(thread)) ?? "?")\" (\(thread))"
  }

  private static func deed(_ thread: Int32, _ entry: ThreadTable.Entry?) -> (Deed, [UInt]) {
    if let entry, WaitRecord.isWaiting(entry.owner) {
      let record = Record(of: entry.owner)
      return (.waits(ObjectNaming.name(record.kind, UInt(record[.object]), .byCopy)), record.stackAddresses)
    }
    guard let state = KernelThread.sample(UInt64(thread)), !state.hasEnded else { return (.hasEnded, []) }
    if let mutex = ForeignMutex.awaited(by: thread) {
      return (.waits(ObjectNaming.name(.foreignMutex, mutex.address, .byCopy)), ThreadStack.capture(thread) ?? [])
    }
    let deed = state.isAsleep ? Deed.sleeps(KernelCall(of: thread)?.title) : .computes
    return (deed, ThreadStack.capture(thread) ?? [])
  }

  // MARK: in words

  /// A line of a report.
  func line(_ symbols: ReportSymbols) -> String {
    let place = stack.isEmpty ? "" : " in \(symbols.place(stack))"
    return "  \(title) has \(has), and \(doing)\(place)"
  }

  private var doing: String {
    switch deed {
    case .computes: "computes"
    case .waits(let name): "waits for \(name)"
    case .sleeps(let call): call.map { "sleeps (\($0))" } ?? "sleeps"
    case .hasEnded: "has ended"
    }
  }

  /// The same as an object of a report.
  func json(_ symbols: ReportSymbols) -> String {
    "{\"thread\":\(threadID),\"title\":\(JSONText.quoted(title)),\"has\":\(JSONText.quoted(has)),\"does\":\(JSONText.quoted(doing)),"
      + "\"stack\":\(JSONText.list(symbols.lines(stack)))}"
  }
}
