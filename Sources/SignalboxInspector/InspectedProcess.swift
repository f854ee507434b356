// InspectedProcess.swift: asks a running process what it is doing. What it answers is Inspection.swift; the protocol, and the other side, is
// SignalboxDiagnosis/Inspection.
import SignalboxCommandLine
import SignalboxSystem

/// A process that may be asked, as often as wanted, while it lives.
public struct InspectedProcess: Sendable {
  /// The process, as it was when it was named.
  public let process: OtherProcess
  /// How long an answer may take, in nanoseconds.
  private var patience: UInt64

  private static let greeting = "signalbox-inspect 1"
  /// No answer is longer.
  private static let longestAnswer = 1 << 30
  /// No answer's first line is longer.
  private static let longestHead = 64

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

  /// The same process, which may take this many nanoseconds at most to answer.
  func answering(within patience: UInt64) -> Self {
    var copy = self
    copy.patience = patience
    return copy
  }

  private var subject: String { "process \(process.id) (\(process.name))" }

  /// What it does at this moment; one inspection for each copy of Signalbox in it.
  public func inspect(wantsStacks: Bool = false) throws(InspectRefusal) -> [Inspection] {
    var (inspections, failures) = try askCopies(wantsStacks)
    if inspections.isEmpty, failures.contains(where: { $0.isDeserted || $0.isAbsent }) {
      // It ends, and has taken its name away; or it has made its name a moment ago and does not listen yet.
      try checkEnds()
      (inspections, failures) = try askCopies(wantsStacks)
    }
    try checkIsThere()
    if inspections.isEmpty { throw whyNone(failures) }
    return inspections
  }

  /// What each copy of Signalbox in it answers, and why there is no connection to the others.
  private func askCopies(_ wantsStacks: Bool) throws(InspectRefusal) -> ([Inspection], [SystemError]) {
    let paths = InspectionPlace.paths(of: process)
    var inspections: [Inspection] = [], failures: [SystemError] = []
    for path in paths {
      let connection: LocalConnection
      do throws(SystemError) { connection = try connect(path) } catch {
        failures.append(error)
        continue
      }
      // The name is anybody's to make; the kernel knows who listens.
      guard let peer = connection.peer, peer.process == process.id else { continue }
      inspections.append(try ask(connection, wantsStacks))
    }
    return (inspections, failures)
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

  func checkIsThere() throws(InspectRefusal) {
    guard let now = OtherProcess(process.id), now.start == process.start, !now.hasEnded else {
      throw InspectRefusal(.noProcess, "\(subject) has ended meanwhile")
    }
  }

  /// For whom it does not answer: a process's sockets are closed a moment before it has ended.
  private func checkEnds() throws(InspectRefusal) {
    if let held = try? ProcessDescriptor.open(process.id) { _ = held.awaitEnd(milliseconds: 500) }
    try checkIsThere()
  }

  private func ask(_ connection: LocalConnection, _ wantsStacks: Bool) throws(InspectRefusal) -> Inspection {
    let deadline = Clock.uptime() &+ patience
    let request = Self.greeting + (wantsStacks ? " stacks" : "") + "\n"
    guard connection.write(Array(request.utf8), until: deadline) else {
      try checkEnds()
      throw silence
    }
    var bytes: [UInt8] = [], whole: Int?, start = 0
    while whole.map({ bytes.count < $0 }) ?? true {
      let piece: [UInt8]?
      do throws(SystemError) { piece = try connection.read(until: deadline) } catch { piece = [] }
      guard let more = piece else { throw silence }
      guard !more.isEmpty else {
        try checkEnds()
        throw InspectRefusal(.noAnswer, "\(subject) has broken its answer off: it ends, or refuses this user")
      }
      bytes += more
      guard whole == nil else { continue }
      if let head = Self.head(bytes) {
        (whole, start) = (head.start + head.count, head.start)
      } else if bytes.prefix(Self.longestHead).contains(UInt8(ascii: "\n")) || bytes.count >= Self.longestHead {
        throw strangeAnswer
      }
    }
    guard let json = JSON(String(decoding: bytes[start...], as: UTF8.self)), let inspection = Inspection(json) else {
      throw strangeAnswer
    }
    return inspection
  }

  /// Where the answer begins behind its first line, and how long it is; nil: that is not there, or of another form.
  static func head(_ bytes: [UInt8]) -> (start: Int, count: Int)? {
    guard let end = bytes.prefix(longestHead).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let head = String(decoding: bytes[..<end], as: UTF8.self)
    guard head.hasPrefix(greeting + " "), let count = Int(head.dropFirst(greeting.count + 1)),
      (0..<longestAnswer).contains(count)
    else { return nil }
    return (end + 1, count)
  }

  // MARK: why not

  private var strangeAnswer: InspectRefusal {
    InspectRefusal(
      .noAnswer,
      "\(subject) uses a different protocol version, because it has another version of Signalbox; use the command of that version"
    )
  }

  private var silence: InspectRefusal {
    if OtherProcess(process.id)?.start != process.start { return InspectRefusal(.noProcess, "\(subject) has ended meanwhile") }
    let threads = (try? Files.names(in: RawString("/proc/\(process.id)/task"))) ?? []
    let states = threads.compactMap { OtherProcess.threadState($0, of: process.id) }
    let isStopped = !states.isEmpty && states.allSatisfy { $0 == "T" || $0 == "t" }
    let why =
      isStopped
      ? "it is stopped: let it go on with \"kill -CONT \(process.id)\", or leave the debugger"
      : "the thread that answers gets no processor, or the process has no memory or descriptor left"
    return InspectRefusal(.noAnswer, "\(subject) does not answer within \(patience / 1_000_000_000) s: \(why)")
  }

  /// It has no name under which it could be asked.
  private func whyNone(_ failures: [SystemError]) -> InspectRefusal {
    let variable = InspectionRequest.variable
    if let failure = failures.first {
      return InspectRefusal(.notPermitted, "\(subject) cannot be asked (\(failure)): run the command as its user, or as root")
    }
    guard let environment = OtherProcess.environment(of: process.id) else {
      return InspectRefusal(
        .notPrepared,
        "\(subject) takes no questions, and hides from its user what it is (PR_SET_DUMPABLE): start it with \(variable)=1")
    }
    if environment.contains(RawString("\(variable)=1")) {
      return InspectRefusal(
        .notPrepared,
        "\(subject) was started with \(variable)=1, and takes no questions: it has not used Signalbox yet, is the child of a "
          + "fork, or has said on its standard error why not")
    }
    if OtherImages.contain(variable, process: process.id) {
      return InspectRefusal(.notPrepared, "\(subject) takes no questions: start it with \(variable)=1 in its environment")
    }
    return InspectRefusal(
      .notPrepared,
      "\(subject) does not use Signalbox: link it, or start the program with \"\(variable)=1 signalbox run -- PROGRAM\"")
  }
}
