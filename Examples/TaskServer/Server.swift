// Server.swift: a small server of tasks that writes its tasks on SIGUSR1: what each does, for what it waits, and where.
// Each client has a task, and each order needs one of two connections to a data base. One fault was planted, which the
// dump shows: an order that is none does not give its connection back. The sockets are Sockets.swift.
//
//   task-server             says "port NUMBER", and serves on that port of this machine until a signal ends it
//   kill -USR1 PID          it writes its tasks to standard error, and goes on
//   order NUMBER            a line of a client; the answer is "NUMBER is done", or "NUMBER is no order"
import Glibc
import Signalbox

@main struct Server {
  static func main() async {
    // Before the first signal: a handler may make no thread.
    Tasks.prepareDump()
    signal(SIGUSR1) { _ in Tasks.dump() }
    guard let listener = Listener() else {
      print("no port is free")
      exit(1)
    }
    print("port \(listener.port)")
    fflush(nil)
    let desk = Desk(Pool(connections: 2))
    await withDiscardingTaskGroup { group in
      var number = 0
      for await client in listener.clients {
        number += 1
        group.addTask(name: "client \(number)") { await desk.serve(client) }
      }
    }
  }
}

/// Serves clients.
struct Desk: Sendable {
  private let pool: Pool

  init(_ pool: Pool) { self.pool = pool }

  /// Answers a client's lines until it closes its side.
  func serve(_ client: Client) async {
    for await line in client.lines { client.send(await answer(line)) }
    client.close()
  }

  private func answer(_ line: String) async -> String {
    let words = line.split(separator: " ")
    guard words.count == 2, words[0] == "order", let number = Int(words[1]) else { return "what is \"\(line)\"?" }
    do {
      try await take(number)
      return "\(number) is done"
    } catch {
      return "\(number) is no order"
    }
  }

  private struct NoOrder: Error {}

  /// The fault: where the order is refused, no code gives the connection back.
  private func take(_ number: Int) async throws {
    let connection = await pool.lease()
    guard number > 0 else { throw NoOrder() }
    await book(number, connection)
    await pool.giveBack(connection)
  }

  /// What the data base does meanwhile.
  private func book(_ number: Int, _ connection: Int) async { for _ in 0..<3 { await Task.yield() } }
}

/// Connections that tasks share. A task that gets none waits for a continuation, which the next one that gives a
/// connection back resumes.
actor Pool {
  private var free: [Int]
  private var waiting: [CheckedContinuation<Int, Never>] = []

  init(connections: Int) { free = Array(1...connections) }

  /// A connection, once one is free. The longest wait is served first.
  func lease() async -> Int {
    if let connection = free.popLast() { return connection }
    return await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack(_ connection: Int) {
    if waiting.isEmpty { free.append(connection) } else { waiting.removeFirst().resume(returning: connection) }
  }
}
