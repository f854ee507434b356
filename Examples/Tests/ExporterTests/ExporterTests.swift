// ExporterTests.swift: the exporters as those who read them see them: a scrape over a socket, and lines of JSON.
import Exporters
import Glibc
import Signalbox
import Testing

import struct Foundation.Data
import class Foundation.JSONSerialization

/// What a server on this machine answers to a request for its figures.
private func scrape(_ port: UInt16) -> String {
  let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(connection) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let isConnected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
  guard isConnected else { return "no connection: \(errno)" }
  let request = Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
  _ = send(connection, request, request.count, Int32(MSG_NOSIGNAL))
  var answer: [UInt8] = [], part = [UInt8](repeating: 0, count: 4096)
  while case let count = read(connection, &part, part.count), count > 0 { answer += part[..<count] }
  return String(decoding: answer, as: UTF8.self)
}

@Suite("Exporters of figures", .serialized) struct ExporterTests {
  @Test("A scrape has the queue's items, done and pending, its waits and the threads, in Prometheus' text form")
  func prometheus() async throws {
    let status = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      alarm(60)
      Snapshot.startCounting()
      let scrapes = Scrapes { prometheusText() }
      let group = DispatchGroup(), two = (0..<2).map { _ in DispatchQueue(label: "a \"label\"") }
      for queue in two { for _ in 0..<1_000 { queue.async(group: group) {} } }
      group.wait()
      two[0].suspend()
      for _ in 0..<3 { two[0].async {} }
      print(scrape(scrapes!.port), terminator: "")
      print(scrape(scrapes!.port).count)
      two[0].resume()
      fflush(nil)
    }
    let text = String(decoding: status?.standardOutputContent ?? [], as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"), "\(text)")
    #expect(text.contains("\nsignalbox_queue_items_total{queue=\"a \\\"label\\\"\"} 2000\n"), "\(text)")
    #expect(text.contains("\nsignalbox_queue_pending{queue=\"a \\\"label\\\"\"} 3\n"), "\(text)")
    #expect(text.contains("signalbox_threads{band=\"default\"} "), "\(text)")
    for part in ["0.5", "0.95", "0.99"] {
      let line = try Regex("signalbox_queue_wait_seconds\\{queue=\"a [^}]*\",quantile=\"\(part)\"\\} [0-9.e-]+\n")
      #expect(text.contains(line), "\(part): \(text)")
    }
    let body = text.components(after: "\r\n\r\n")
    #expect(
      body.split(separator: "\n").dropLast().allSatisfy { $0.contains(/^signalbox_\w+\{[^{}]*\} [0-9.e+-]+$/) }, "\(body)")
  }

  @Test("Lines of JSON have figures after each interval, and each report as it comes, until the timer is cancelled")
  func lines() async throws {
    let status = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      alarm(60)
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      Snapshot.startCounting()
      let seen = DispatchSemaphore(value: 0), reported = DispatchSemaphore(value: 0)
      let timer = exportLines(every: .milliseconds(10)) { line in
        print(line, terminator: "")
        fflush(nil)
        (line.contains("\"kind\":\"lockOrder\"") ? reported : seen).signal()
      }
      for _ in 0..<3 { seen.wait() }
      LockOrder.mode = .report
      let one = MutexLock(name: "one"), two = MutexLock(name: "two")
      let other = DispatchGroup()
      DispatchQueue.global().async(group: other) { one.withLock { two.withLock {} } }
      other.wait()
      two.withLock { one.withLock {} }
      reported.wait()
      timer.cancel()
    }
    let text = String(decoding: status?.standardOutputContent ?? [], as: UTF8.self)
    let objects = try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
    #expect(objects.filter { $0["kind"] as? String == "lockOrder" }.count == 1, "\(text)")
    let figures = objects.filter { $0["queues"] != nil }
    #expect(figures.count >= 3 && figures.allSatisfy { $0["pools"] is [Any] && $0["time"] is Double }, "\(text)")
    let own = figures.last?["queues"] as? [[String: Any]]
    #expect(own?.contains { $0["label"] as? String == "figures" } == true, "the timer's own queue is counted")
  }
}

extension String {
  /// What stands behind the first `mark`.
  fileprivate func components(after mark: String) -> Substring { firstRange(of: mark).map { self[$0.upperBound...] } ?? "" }
}
