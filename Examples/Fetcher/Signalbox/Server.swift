// Server.swift: a small HTTP server on the loopback interface, all of it on one serial queue. A caller's own exchange of words is
// Connection.swift.

/// Serves the files of one folder until it is stopped. A document whose number is a multiple of five is "busy" at the first
/// request; the silent pack's documents are never answered.
// SAFETY of @unchecked: what changes is guarded by `queue`; sources and channels may be used by any thread.
final class Server: @unchecked Sendable {
  static let silentPack = "birch"
  private static let longestHold = DispatchTimeInterval.seconds(30)

  let port: UInt16
  private let folder: URL
  private let queue = DispatchQueue(label: "fetcher.server")
  private let arrivals: any DispatchSourceRead
  private let sweep: any DispatchSourceTimer
  private var requests: [String: Int] = [:]
  private var held: [(connection: Connection, until: DispatchTime)] = []

  init(serving folder: URL) throws {
    signal(SIGPIPE, SIG_IGN)  // a caller who hangs up early must not end the program
    let (listener, port) = try Sockets.listener()
    self.port = port
    self.folder = folder
    arrivals = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    sweep = DispatchSource.makeTimerSource(queue: queue)
    arrivals.setEventHandler { [unowned self] in acceptAll(listener) }
    arrivals.setCancelHandler { close(listener) }
    sweep.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(100))
    sweep.setEventHandler { [unowned self] in hangUpOnTheHeld { $0 < .now() } }
    arrivals.activate()
    sweep.activate()
  }

  /// Accepts nobody any more and hangs up on those who still wait.
  func stop() {
    arrivals.cancel()
    sweep.cancel()
    queue.sync { hangUpOnTheHeld { _ in true } }
  }

  func url(of file: String) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)/\(file)") else { preconditionFailure("'\(file)' cannot be in a URL") }
    return url
  }

  private func acceptAll(_ listener: Int32) {
    while let descriptor = Sockets.nextCaller(of: listener) {
      Connection(descriptor, queue: queue).readRequest { [weak self] connection, file in self?.answer(connection, file) }
    }
  }

  private func answer(_ connection: Connection, _ file: String) {
    dispatchPrecondition(condition: .onQueue(queue))
    requests[file, default: 0] += 1
    if file.hasPrefix(Self.silentPack + "-") {
      held.append((connection, .now() + Self.longestHold))
    } else if isBusy(file), requests[file] == 1 {
      connection.respond(status: "503 Service Unavailable")
    } else {
      connection.respond(with: folder.appendingPathComponent(file))
    }
  }

  private func isBusy(_ file: String) -> Bool {
    guard let number = file.split(whereSeparator: { $0 == "-" || $0 == "." }).dropFirst().first.flatMap({ Int($0) }) else {
      return false
    }
    return number % 5 == 0
  }

  private func hangUpOnTheHeld(where isDue: (DispatchTime) -> Bool) {
    for (connection, until) in held where isDue(until) { connection.hangUp() }
    held.removeAll { isDue($0.until) }
  }
}
