// InspectedProcess.swift: a running process that is inspected: its memory is read, and where the kernel does not show
// that, the process is asked for it. What is found is Inspection.swift; the requests are ProcessRequests.swift.
import SignalboxCommandLine
import SignalboxSystem

/// A process that may be inspected, as often as wanted, while it lives.
public struct InspectedProcess: Sendable {
  /// The process, as it was when it was named.
  public let process: OtherProcess
  /// How long an answer may take, in nanoseconds.
  let patience: UInt64

  /// The process of that number.
  public init(_ id: Int32, user: UInt32 = ProcessInput.user, patience: UInt64 = 10_000_000_000) throws(InspectRefusal) {
    guard id > 0, let process = OtherProcess(id) else {
      throw InspectRefusal(.noProcess, "there is no process \(id), or the kernel does not show it to this user")
    }
    (self.process, self.patience) = (process, patience)
    if process.hasEnded { throw InspectRefusal(.noProcess, "process \(id) (\(process.name)) has ended") }
    guard process.user == user || user == 0 else {
      throw InspectRefusal(
        .notPermitted, "\(subject) belongs to user \(process.user): run the command as that user, or as root")
    }
  }

  var subject: String { "process \(process.id) (\(process.name))" }

  /// What it does at this moment; one inspection for each copy of Signalbox in it.
  ///
  /// - Parameter progress: called while its memory is searched for tasks: with how many bytes were of how many.
  public func inspect(
    wantsStacks: Bool = false, progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(InspectRefusal) -> [Inspection] {
    let live: LiveProcess
    do throws(SystemError) { live = try LiveProcess(process) } catch {
      try checkIsThere()
      return try ask(wantsStacks: wantsStacks, because: error)
    }
    let found: [RemoteInspection]
    do throws(InspectRefusal) { found = try read(live) } catch {
      guard error.kind == .foreign else { throw error }
      let made = Inspection.withTasks([try foreign(live)], live, progress: progress)
      try check(live)
      return made
    }
    var made = wantsStacks ? withStacks(found, live) : found.map { Inspection($0) }
    if let both = BothLibraries(found, in: live) {
      let walked = WalkedStacks(live)
      made = both.inspections(made) { walked.stack(of: $0) ?? ([], WalkedStacks.running) }
    }
    made = Inspection.withTasks(made, live, progress: progress)
    try check(live)
    return made
  }

  /// Whether threads wait for one another: no more is read than that needs.
  ///
  /// - Parameter withTasks: whether tasks count as well that do.
  public func hasDeadlock(withTasks: Bool = false) throws(InspectRefusal) -> Bool {
    let live: LiveProcess
    do throws(SystemError) { live = try LiveProcess(process) } catch {
      try checkIsThere()
      return try ask(because: error).contains(where: \.hasDeadlock)
    }
    var found: Bool
    do throws(InspectRefusal) {
      let copies = try read(live)
      found = copies.contains { !$0.cycles.isEmpty }
      if !found { found = BothLibraries(copies, in: live)?.hasDeadlock == true }
    } catch {
      guard error.kind == .foreign else { throw error }
      try checkWidth()
      found = ToolchainInspection(live).hasDeadlock
    }
    if !found && withTasks { found = ProcessTasks.hasDeadlock(live) }
    try check(live)
    return found
  }

  /// What is read belongs to one program.
  private func check(_ live: LiveProcess) throws(InspectRefusal) {
    try checkIsThere()
    if live.isAnotherProgram {
      throw InspectRefusal(.noAnswer, "\(subject) has become another program meanwhile: inspect it again")
    }
  }

  /// What can be seen of a process that does not use Signalbox.
  private func foreign(_ live: LiveProcess) throws(InspectRefusal) -> Inspection {
    try checkWidth()
    let walked = WalkedStacks(live)
    return ToolchainInspection(live).inspection { walked.stack(of: $0) ?? ([], WalkedStacks.running) }
  }

  /// What its memory shows.
  private func read(_ live: LiveProcess) throws(InspectRefusal) -> [RemoteInspection] {
    do throws(InspectRefusal) {
      let found = try RemoteInspection.all(in: live, subject)
      try checkIsThere()
      return found
    } catch {
      try checkIsThere()
      throw error
    }
  }

  func checkIsThere() throws(InspectRefusal) {
    guard let now = OtherProcess(process.id), now.start == process.start, !now.hasEnded else {
      throw InspectRefusal(.noProcess, "\(subject) has ended meanwhile")
    }
  }

  /// For a process that does not answer: its sockets are closed a moment before it has ended.
  func checkEnds() throws(InspectRefusal) {
    if let held = try? ProcessDescriptor.open(process.id) { _ = held.awaitEnd(milliseconds: 500) }
    try checkIsThere()
  }

  // MARK: requests

  /// What it answers, one inspection for each of its copies.
  ///
  /// - Parameter refusal: why the kernel does not show its memory; nil: that was not tried.
  func ask(wantsStacks: Bool = false, because refusal: SystemError? = nil) throws(InspectRefusal) -> [Inspection] {
    var (inspections, failures) = try askCopies(wantsStacks, refusal)
    if inspections.isEmpty, failures.contains(where: { $0.isDeserted || $0.isAbsent }) {
      // It ends, and has taken its name away; or it has made its name a moment ago and does not listen yet.
      try checkEnds()
      (inspections, failures) = try askCopies(wantsStacks, refusal)
    }
    if inspections.isEmpty { throw whyNone(failures, refusal) }
    return inspections
  }

  /// What its copies answer, one after another, since a connection does not wait for long; and why there is none to
  /// others.
  private func askCopies(
    _ wantsStacks: Bool, _ refusal: SystemError?
  ) throws(InspectRefusal) -> (inspections: [Inspection], failures: [SystemError]) {
    var inspections: [Inspection] = [], failures: [SystemError] = []
    for path in InspectionPlace.paths(of: process) {
      guard let requests = connection(path, &failures) else { continue }
      guard requests.failure == nil else { throw broken(requests, refusal) }
      let found = try read(LiveProcess(process, requests), from: requests, refusal)
      let stacks = wantsStacks ? AskedStacks(requests) : nil
      inspections += found.map { Inspection($0, stacks: stacks?.ask) }
      guard requests.failure == nil else { throw broken(requests, refusal) }
    }
    return (inspections, failures)
  }

  private func read(
    _ live: LiveProcess, from requests: ProcessRequests, _ refusal: SystemError?
  ) throws(InspectRefusal) -> [RemoteInspection] {
    do throws(InspectRefusal) { return try read(live) } catch {
      // Memory that was asked for in vain is missing: that is the reason.
      if requests.failure != nil { throw broken(requests, refusal) }
      throw error
    }
  }

  /// The inspections, with the stacks of all threads: those that sleep are read; a process that answers is asked for
  /// others.
  private func withStacks(_ found: [RemoteInspection], _ live: LiveProcess) -> [Inspection] {
    var failures: [SystemError] = []
    var requests: ProcessRequests?
    for path in InspectionPlace.paths(of: process) where requests == nil { requests = connection(path, &failures) }
    let asked = requests.map { AskedStacks($0) }, walked = WalkedStacks(live)
    return found.map { remote in
      var inspection = Inspection(remote) { walked.stack(of: $0) ?? asked?.ask($0) ?? ([], WalkedStacks.running) }
      if inspection.threads.contains(where: { $0.stackEnd == WalkedStacks.running }) {
        inspection.unread.append(
          "the stacks of threads that run: a process that was started with \(InspectionRequest.variable)=1 tells them, unless it is stopped"
        )
      }
      return inspection
    }
  }

  /// A connection to the copy of Signalbox that listens under a name; nil where there is none.
  private func connection(_ path: RawString, _ failures: inout [SystemError]) -> ProcessRequests? {
    let connection: LocalConnection
    do throws(SystemError) { connection = try connect(path) } catch {
      failures.append(error)
      return nil
    }
    // Any process may make the name; the kernel knows which one listens.
    guard let peer = connection.peer, peer.process == process.id else { return nil }
    return ProcessRequests(connection, patience: patience)
  }

  /// In a container the path leads elsewhere from here.
  private func connect(_ path: RawString) throws(SystemError) -> LocalConnection {
    do throws(SystemError) { return try LocalConnection(to: path) } catch {
      guard error.isAbsent, let inside = try? LocalConnection(to: RawString("/proc/\(process.id)/root") + path) else {
        throw error
      }
      return inside
    }
  }
}

/// The stacks of threads that sleep, walked from outside.
private struct WalkedStacks {
  /// Why a stack is missing that only the thread itself could tell.
  static let running = "the thread runs"

  private let threads: [Int32: ReadThread]
  private let walk: (ReadThread) -> StackReading?

  init(_ live: LiveProcess) {
    threads = Dictionary(live.threads().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    walk = live.stacks
  }

  /// nil: the thread runs, or has begun meanwhile.
  func stack(of id: Int32) -> (addresses: [ReadNumber], gap: String?)? {
    threads[id].flatMap { walk($0) }?.shown
  }
}

/// The stacks that a process tells: for so long that a table of them is worth waiting for.
private struct AskedStacks {
  private let requests: ProcessRequests
  /// Threads that do not answer cost time: after that no more are asked for their stacks.
  private let end = Clock.uptime() &+ 2_000_000_000

  init(_ requests: ProcessRequests) { self.requests = requests }

  var ask: Inspection.Stacks {
    { thread in
      guard Clock.uptime() < end else { return ([], "there was no time left for it") }
      return requests.stack(of: thread)
    }
  }
}
