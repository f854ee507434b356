// LabRunner.swift: runs scenarios, each in a process of its own, and observes them from outside.
import SignalboxSystem

/// Runs scenarios. One at a time: they count threads.
public struct LabRunner: Sendable {
  private let program: String
  private let arguments: [String]
  private let deadlineSeconds: Int

  /// A runner that starts `program` with `arguments` and the scenario's name, which must then call `ScenarioProcess.run`.
  ///
  /// - Parameter deadlineSeconds: after that a scenario has failed, whatever it does.
  public init(program: String = "/proc/self/exe", arguments: [String], deadlineSeconds: Int = 120) {
    self.program = program
    self.arguments = arguments
    self.deadlineSeconds = deadlineSeconds
  }

  /// Runs one scenario and judges it.
  public func run(_ scenario: Scenario) -> ScenarioResult {
    let begin = Clock.uptime()
    let seen = observe(scenario)
    return ScenarioResult(scenario, seen, seconds: Double(Clock.uptime() - begin) / 1e9)
  }

  private func observe(_ scenario: Scenario) -> Observation {
    // Crash handlers of the runtime would only slow the wanted ends down.
    let variables = ["SWIFT_BACKTRACE": "enable=no"].merging(scenario.environment) { $1 }
    do throws(SystemError) {
      let child = try ChildProcess(program, arguments + [scenario.name], adding: variables)
      return follow(child, scenario)
    } catch {
      return Observation(end: .notStarted("\(error)"))
    }
  }

  private func follow(_ child: ChildProcess, _ scenario: Scenario) -> Observation {
    var seen = Observation(end: .exited(0))
    var stillness = Stillness(process: child.id, milliseconds: scenario.hangMilliseconds)
    let deadline = Clock.uptime() + UInt64(deadlineSeconds) * 1_000_000_000
    var verdict: End?
    // Where a hang is possible the threads are scanned ten times in the time that makes one.
    let mayHang = scenario.mayHang
    while verdict == nil, child.read(milliseconds: mayHang ? Int32(scenario.hangMilliseconds / 10) : 100) {
      let reports = child.takeLines().compactMap(Wire.report)
      for report in reports { seen.add(report) }
      if Clock.uptime() > deadline { verdict = .deadline(seconds: deadlineSeconds) }
      guard mayHang else { continue }
      let threads = Set(seen.events.map { UInt64($0.threadID) }).union([UInt64(child.id)])
      if reports.isEmpty, !seen.events.isEmpty, stillness.isReached(threads) {
        verdict = .still(threads: threads.count)
      } else if !reports.isEmpty {
        stillness.disturb()
      }
    }
    if verdict != nil { child.kill() }
    let ending = child.wait()
    for report in child.takeLines().compactMap(Wire.report) { seen.add(report) }
    seen.message = Self.message(child.errorOutput)
    seen.end = verdict ?? Self.end(ending)
    return seen
  }

  private static func end(_ ending: ChildProcess.Ending) -> End {
    switch ending {
    case .exited(let status): .exited(status)
    case .signalled(let number): .signalled(number)
    }
  }

  /// Standard error without the library's own prefix, its lines joined. A report's details, indented twice, are left out: they
  /// hold addresses.
  private static func message(_ bytes: [UInt8]) -> String {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !Self.isDetail($0) }.map { line in
      var line = line.drop { $0 == " " }
      for prefix in ["signalbox: ", "misuse: "] where line.hasPrefix(prefix) { line = line.dropFirst(prefix.count) }
      return String(line)
    }
    return lines.joined(separator: "; ")
  }

  private static func isDetail(_ line: Substring) -> Bool {
    line.hasPrefix("    ") || (line.hasPrefix("  thread \"") && line.hasSuffix(" s:"))
  }
}

extension Observation {
  fileprivate mutating func add(_ report: Report) {
    switch report {
    case .event(let event): events.append(event)
    case .problem(let problem): problems.append(problem)
    case .measured(let text): measured = text
    }
  }
}
