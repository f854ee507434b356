// ContendedTests.swift: a program whose threads change all the time what they wait for is inspected a thousand times, by its answers and from outside: nobody is
// named who never had the thing. And how long a crowd takes.
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Contended processes") struct ContendedTests {
  enum Way: String, CaseIterable, Sendable { case answers, readings }

  @Test("A busy program, inspected a thousand times: nobody is named who never had the thing", arguments: Way.allCases)
  func contended(way: Way) throws {
    let program = try InspectedProgram(["contend"], isPrepared: way == .answers)
    let numbers = program.line.split(separator: ",").compactMap { Int($0) }
    try #require(numbers.count == 6)
    let users = ["mutex": Set(numbers[0..<2]), "recursive mutex": Set(numbers[2..<4])], byQueue = Set(numbers[4..<6])
    // A worker may have the queue for a moment, to hand the turn on.
    let neverQueue = Set(numbers[0..<4] + [Int(program.child.id)])
    let process = try InspectedProcess(program.child.id, patience: 60_000_000_000)
    if way == .answers { _ = try program.inspect() }
    var named: [String: Int] = [:]
    let begin = Clock.uptime()
    for _ in 0..<1_000 {
      let inspections = try way == .answers ? process.ask() : process.inspect()
      try #require(inspections.count == 1)
      let inspection = inspections[0]
      #expect(inspection.cycles.isEmpty)
      for thread in inspection.threads {
        guard let wait = thread.wait, numbers.contains(thread.id) else { continue }
        if let users = users[wait.kind] {
          #expect(users.contains(thread.id) && users.isSuperset(of: wait.holders), "\(wait) of \(numbers)")
        } else {
          #expect(wait.kind.hasPrefix("queue") && byQueue.contains(thread.id), "\(wait) of \(numbers)")
          #expect(neverQueue.isDisjoint(with: wait.holders), "\(wait) of \(numbers)")
        }
        named[wait.kind, default: 0] += wait.holders.count
      }
      let owners = inspection.queues.filter { $0.label == "probe.turns" }.compactMap(\.owner)
      #expect(neverQueue.isDisjoint(with: owners))
      let inside = inspection.threads.filter { !$0.inside.isEmpty && numbers.contains($0.id) }.map(\.id)
      #expect(byQueue.isSuperset(of: inside))
    }
    print("1,000 \(way): \(Int(1e12 / Double(max(1, Clock.uptime() - begin)))) a second")
    // Somebody was named, or nothing was tried.
    #expect(named.values.reduce(0, +) > 0, "\(named)")
    #expect(program.child.read(milliseconds: 0), "\(program.errorText)")
    // What the thread sanitizer says stands there, where the program was built with it.
    #expect(program.errorText.isEmpty, "\(program.errorText)")
  }
}

enum Crowd {
  /// Within a second where nothing else runs (Scripts/measure-inspection); here other tests may, and nothing is optimised.
  private static let limit: UInt64 = 20_000_000_000

  /// One of three takes less than the limit: others may have the processors for a while.
  static func expectSoon(_ body: () throws -> Void) rethrows {
    var times: [UInt64] = []
    for _ in 0..<3 {
      let begin = Clock.uptime()
      try body()
      times.append(Clock.uptime() - begin)
    }
    #expect(times.min() ?? .max < limit, "\(times)")
  }
}
