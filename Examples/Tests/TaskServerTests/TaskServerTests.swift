// TaskServerTests.swift: the server of tasks in a process of its own: it serves; SIGUSR1 makes it write its tasks, and
// it goes on; and the dump shows the fault that was planted: which tasks wait for a connection that no code gives back,
// and where.
import Glibc
import SignalboxSystem
import Testing

/// The server, started; ended with the value.
private final class RunningServer {
  let child: ChildProcess
  let port: UInt16

  private static let program: String = {
    let tests = ((try? Files.realPath("/proc/self/exe")) ?? "").description
    return tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)] + "task-server"
  }()

  init() throws {
    child = try ChildProcess(Self.program, [])
    var lines: [String] = []
    let deadline = Clock.uptime() + 120_000_000_000
    while lines.isEmpty, Clock.uptime() < deadline, child.read(milliseconds: 100) { lines = child.takeLines() }
    let line = try #require(lines.first, "it says nothing: \(String(decoding: child.errorOutput, as: UTF8.self))")
    port = try #require(line.hasPrefix("port ") ? UInt16(line.dropFirst(5)) : nil, "\(line)")
  }

  deinit {
    child.kill()
    _ = child.wait()
  }

  /// Asks for dumps, one after another, until one has all of these texts; that dump.
  func dump(with texts: [String]) throws -> String {
    let deadline = Clock.uptime() + 120_000_000_000
    while true {
      let before = child.errorOutput.count
      try #require(kill(child.id, SIGUSR1) == 0)
      // Each dump begins with a line of its own, and is written at once.
      var dump = ""
      while !dump.hasSuffix("\n"), Clock.uptime() < deadline, child.read(milliseconds: 100) {
        dump = String(decoding: child.errorOutput.dropFirst(before), as: UTF8.self)
      }
      if texts.allSatisfy(dump.contains) { return dump }
      try #require(Clock.uptime() < deadline, "no dump has \(texts): \(dump)")
    }
  }
}

/// A connection to the server; closed with the value.
private final class Client {
  private let descriptor: Int32

  init(_ port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    // A read fails loudly after that.
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    try #require(isConnected, "no connection: \(errno)")
  }

  deinit { close(descriptor) }

  func send(_ line: String) throws {
    let bytes = Array("\(line)\n".utf8)
    try #require(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// The next line of an answer.
  func line() throws -> String {
    var line: [UInt8] = [], byte: UInt8 = 0
    while line.last != UInt8(ascii: "\n") {
      try #require(read(descriptor, &byte, 1) == 1, "no answer: \(errno)")
      line.append(byte)
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  func answer(to line: String) throws -> String {
    try send(line)
    return try self.line()
  }
}

@Suite("A server of tasks", .serialized) struct TaskServerTests {
  @Test("It serves; SIGUSR1 makes it write its tasks; the dump shows the tasks that wait for a connection that was lost")
  func dumps() throws {
    let server = try RunningServer(), first = try Client(server.port)
    #expect(try first.answer(to: "order 7") == "7 is done")
    #expect(try first.answer(to: "hello") == "what is \"hello\"?")
    // A client that is idle waits for its next line.
    let idle = try server.dump(with: ["\"client 1\"", "Desk.serve(_:)"])
    #expect(!idle.contains("Pool.lease()"), "\(idle)")
    #expect(try first.answer(to: "order 8") == "8 is done", "it goes on after a dump")

    // Two orders that are none take both connections with them.
    for _ in 0..<2 { #expect(try first.answer(to: "order 0") == "0 is no order") }
    let others = try (0..<3).map { _ in try Client(server.port) }
    for (number, client) in others.enumerated() { try client.send("order \(number + 1)") }
    let dump = try server.dump(with: ["  3 tasks (task ", "0 Pool.lease() at "])
    #expect(dump.contains("\"client 2\", ") && dump.contains("): each waits for a continuation:\n"), "\(dump)")
    for place in [/Pool\.lease\(\) at .*Server\.swift:\d+\n/, /Desk\.take\(_:\) at .*Server\.swift:\d+\n/] {
      #expect(dump.contains(place), "\(dump)")
    }
    #expect(dump.contains(/Desk\.serve\(_:\) at .*Server\.swift:\d+\n/), "\(dump)")
  }
}
