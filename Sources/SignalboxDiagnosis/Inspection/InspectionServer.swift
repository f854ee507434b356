// InspectionServer.swift: the thread that answers whoever asks what the process is doing. What it answers is Inspection.swift, under which
// name it is found InspectionPlace.swift (SignalboxSystem), the protocol README.md.
import SignalboxSystem

/// What both sides say.
enum InspectionProtocol {
  static let version = 1
  /// How a request and an answer begin.
  static let greeting = "signalbox-inspect \(version)"
  /// A request is one line, shorter than this.
  static let longestRequest = 200
  /// How long the other side may take for its part.
  static let patience: UInt64 = 5_000_000_000
}

/// The thread, made when the first thread of the program gets a slot and the environment asks for it.
enum InspectionServer {
  /// Makes it. No thread of the pool's: those may all be stuck.
  static func begin() {
    // Whoever asks and gets no answer may read instead.
    ProcessDescription.allowReaders()
    do {
      try Threads.spawn(name: "signalbox.asked", stackSize: 512 * 1024) { threadBody() }
    } catch {
      Misuse.report("\(InspectionRequest.variable)=1: the program cannot be inspected: \(error)")
    }
  }

  private static func threadBody() {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    let listener: LocalListener
    do { listener = try InspectionName.open() } catch {
      return Misuse.report("\(InspectionRequest.variable)=1: the program cannot be inspected: \(error)")
    }
    Layers.forEach { $0.inspectionBegins() }
    let pause = Atomic32(0)
    var ages = ItemAges(), next = Clock.uptime()
    while true {
      if Clock.uptime() >= next {
        ages.sample(at: Clock.uptime())
        Sampler.shared?.sample()
        next = Clock.uptime() &+ Sampler.interval
      }
      switch listener.accept(until: next) {
      case .connection(let connection): answer(connection, &ages)
      case .none: break
      // A program without descriptors may have some in a while.
      case .later: pause.park(expected: 0, deadline: .uptime(Clock.uptime() &+ 100_000_000))
      case .closed:
        return Misuse.report("the program has closed the socket by which it is inspected: it can be inspected no more")
      }
    }
  }

  private static func answer(_ connection: LocalConnection, _ ages: inout ItemAges) {
    let deadline = Clock.uptime() &+ InspectionProtocol.patience
    // Root reads every process anyway.
    guard let user = connection.peer?.user, user == ProcessInput.user || user == 0 else { return }
    guard let request = request(connection, until: deadline) else { return }
    let text = InspectionText.bytes(.take(request.contains("stacks") ? .all : .ofWaits, &ages))
    let head = Array("\(InspectionProtocol.greeting) \(text.count)\n".utf8)
    _ = connection.write(head + text, until: Clock.uptime() &+ InspectionProtocol.patience)
  }

  /// The words behind the greeting; nil for what is no request.
  private static func request(_ connection: LocalConnection, until deadline: UInt64) -> [Substring]? {
    var bytes: [UInt8] = []
    while !bytes.contains(UInt8(ascii: "\n")) {
      guard bytes.count < InspectionProtocol.longestRequest, let more = try? connection.read(until: deadline), !more.isEmpty
      else { return nil }
      bytes += more
    }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard line.hasPrefix(InspectionProtocol.greeting) else { return nil }
    return line.dropFirst(InspectionProtocol.greeting.count).split(separator: " ")
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Instruments.inspection = { InspectionServer.begin() } }
