// MisuseEvidence.swift: what is known when a program is stopped for using Signalbox wrongly: where it happened, and
// what was noted of the object. The words come first: Misuse+Stop.swift (SignalboxWaits).
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// The report of a misuse, whose message is written already. The program is stopped when this returns.
enum MisuseReport {
  static func tell(_ message: String, _ subject: Misuse.Subject?, stack: [UInt]) {
    if !isFirst() { waitForTheFirst() }
    let number = ReportNumber.next(.misuse)
    let evidence = MisuseEvidence(message: message, stack: stack, subject)
    let symbols = ReportSymbols(evidence.addresses)
    let text = evidence.text(symbols)
    StandardError.write(text)
    ReportDelivery.deliver(
      DiagnosticReport(
        .misuse, number, text: "\(message)\n\(text)", fields: evidence.fields(symbols), details: message, stopsProgram: true))
  }

  private static let stops = Atomic32(0)
  // acquire-release: of several threads that stop the program one is first; nothing is read through it
  private static func isFirst() -> Bool { stops.exchangeAcqRel(1) == 0 }

  /// Another thread is about to end the program: its report comes whole.
  private static func waitForTheFirst() -> Never {
    let end = Clock.uptime() &+ SymbolText.patience &+ 2 * ReportHandlers.patience
    let word = Atomic32(0)
    while Clock.uptime() < end { word.park(expected: 0, deadline: .uptime(end)) }
    Misuse.abortNow()
  }
}

/// What is known when a program is stopped.
struct MisuseEvidence {
  /// Somewhere in the program, and what was done there.
  struct Place {
    let title: String
    let stack: [UInt]
  }

  private let message: String
  private let participant: DeadlockReport.Participant
  private let object: DeadlockReport.Object?
  private let places: [Place]

  init(message: String, stack: [UInt], _ subject: Misuse.Subject?) {
    self.message = message
    participant = DeadlockReport.Participant(callerWith: stack)
    object = subject.map { subject in
      .init(
        kind: subject.kind, address: subject.address, name: ObjectNaming.name(subject.kind, subject.address),
        description: ObjectNaming.description(subject.kind, subject.address, subject.word))
    }
    places = subject.map { Self.places(of: $0) } ?? []
  }

  /// What was noted of the object: while the stall detector or lock-order validation was on.
  private static func places(of subject: Misuse.Subject) -> [Place] {
    var found: [Place] = []
    if let site = LockRegistry.site(of: subject.address) { found.append(Place(title: "made at", stack: site)) }
    if let holder = subject.word.map({ OwnerReader().read($0).owner }), holder != 0,
      let stack = HeldLocks.acquisition(of: subject.address, by: holder)
    {
      found.append(Place(title: "taken by \(ObjectText.thread(holder)) at", stack: stack))
    }
    if subject.kind == .group, let last = EnterNotes.note(of: subject.address)?.last {
      found.append(Place(title: "last entered at", stack: last))
    }
    if subject.kind.isQueue { found.append(Place(title: "stopped at", stack: StopNotes.place(of: subject.address))) }
    return found.filter { !$0.stack.isEmpty }
  }

  var addresses: [UInt] { participant.addresses + places.flatMap(\.stack) }

  /// What follows the message.
  func text(_ symbols: ReportSymbols) -> String {
    var lines = object.map { ["  \($0.description)"] } ?? []
    for place in places { lines += ["    \(place.title):"] + symbols.lines(place.stack).map { "      \($0)" } }
    var participant = participant
    // Some messages say it themselves.
    if message.holds("running inside: ") { participant.frames = [] }
    lines += ["  \(participant.title):"] + participant.whereabouts(symbols) + participant.place(symbols)
    return (lines + symbols.hintLines).joined(separator: "\n") + "\n"
  }

  func fields(_ symbols: ReportSymbols) -> [String] {
    let noted = places.map { "\(JSONText.quoted($0.title)):\(JSONText.list(symbols.lines($0.stack)))" }
    return [
      "\"message\":\(JSONText.quoted(message))", "\"thread\":\(participant.threadID)",
      "\"name\":\(JSONText.quoted(participant.threadName))",
      "\"object\":\(object.map(DeadlockReport.object) ?? "null")", "\"notes\":{\(noted.joined(separator: ","))}",
      "\"inside\":\(JSONText.list(participant.frames))", "\"item\":\(DeadlockReport.item(participant.item, symbols))",
      "\"stack\":\(JSONText.list(symbols.lines(participant.stack)))",
    ]
  }
}

extension DeadlockReport.Participant {
  /// The calling thread, which waits for nothing.
  fileprivate init(callerWith stack: [UInt]) {
    let thread = ThreadSlot.current
    var frames: [FrameWord] = []
    _ = thread.innermostFrame?.first { frame in
      frames.append(frame.pointee.word)
      return frames.count == 64
    }
    let id = UInt64(ThreadSlot.kernelID())
    self.init(
      threadID: id, threadName: KernelThread.name(id) ?? "?", wants: .init(kind: .none, address: 0, name: ""), detail: nil,
      seconds: 0, frames: frames.map { ObjectNaming.name(of: $0) }, item: .init(ofOwner: thread.pointee.owner),
      queue: ObjectNaming.drainedLabel(frames), stack: stack, acquired: nil)
  }
}
