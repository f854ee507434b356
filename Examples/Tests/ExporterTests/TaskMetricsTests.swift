// TaskMetricsTests.swift: the metrics of tasks, of a program whose tasks are known: by state, by the function in which
// they wait, and the longest chains. Those of queues are ExporterTests.swift.
import Exporters
import Glibc
import Signalbox
import Synchronization
import Testing

/// Leases that no task gets.
private final class Leases: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
  var count: Int { waiting.withLock(\.count) }
  @inline(never) func lease() async {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
  }
}

@inline(never) private func order(_ leases: Leases) async -> Int {
  await leases.lease()
  return 1
}

/// Awaits `order` below as many calls of itself.
@inline(never) private func nested(_ left: Int, _ leases: Leases) async -> Int {
  if left == 0 { return await order(leases) }
  return await nested(left - 1, leases) + 1
}

@Suite("Exporters of tasks", .serialized) struct TaskMetricsTests {
  @Test("Tasks are counted by state and by the function in which they wait; the longest chains come first")
  func metrics() async throws {
    let status = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      alarm(120)
      let leases = Leases()
      for number in 0..<7 { Task(name: "order \(number)") { await order(leases) } }
      Task { await nested(3, leases) }
      // What is wanted is a task that sleeps; the process ends before it wakes.
      Task { try await Task.sleep(for: .seconds(5_000)) }
      Task {
        await withTaskGroup(of: Int.self) { group in
          group.addTask { await order(leases) }
          return await group.reduce(0, +)
        }
      }
      func isReached(_ tasks: [Tasks.Task]) -> Bool {
        leases.count == 9 && tasks.count { $0.awaited == .continuation } == 9 && tasks.contains { $0.state == .sleeping }
          && tasks.contains { if case .children = $0.awaited { true } else { false } }
      }
      while !isReached(Tasks.snapshot(withLines: false).tasks) { await Task.yield() }
      let snapshot = Tasks.snapshot(withLines: false)
      print(prometheusTaskText(snapshot, places: 50), terminator: "")
      print("--")
      print(prometheusTaskText(snapshot, places: 1), terminator: "")
      fflush(nil)
    }
    let text = String(decoding: status?.standardOutputContent ?? [], as: UTF8.self)
    let parts = text.split(separator: "--\n")
    try #require(parts.count == 2, "\(text)")
    /// The number of the first metric that matches.
    func number(_ metric: Regex<(Substring, Substring)>) -> Int? {
      parts[0].firstMatch(of: metric).flatMap { Int($0.output.1) }
    }
    // Besides the nine, the group's own task; and the test's tasks may be there as well.
    #expect(number(/signalbox_tasks\{state="suspended"\} (\d+)\n/) ?? 0 >= 10, "\(text)")
    #expect(number(/signalbox_tasks\{state="sleeping"\} (\d+)\n/) == 1, "\(text)")
    #expect(number(/signalbox_tasks\{state="new"\} (\d+)\n/) == 0, "\(text)")
    #expect(number(/signalbox_tasks_waiting\{function="Leases.lease\(\)",for="continuation"\} (\d+)\n/) == 9, "\(text)")
    #expect(number(/signalbox_tasks_waiting\{function="[^"]+",for="clock"\} (\d+)\n/) == 1, "\(text)")
    #expect(number(/signalbox_tasks_waiting\{function="[^"]+",for="children"\} (\d+)\n/) ?? 0 >= 1, "\(text)")
    // lease, order, nested four times, and the task's closure.
    #expect(number(/signalbox_task_chain_length\{function="Leases.lease\(\)"\} (\d+)\n/) == 7, "\(text)")
    #expect(parts[0].split(separator: "\n").allSatisfy { $0.contains(/^signalbox_\w+\{[^{}]*\} [0-9]+$/) }, "\(text)")
    // Of each list the first alone.
    #expect(parts[1].split(separator: "\n").count == 7, "\(text)")
    #expect(parts[1].contains("signalbox_tasks_waiting{function=\"Leases.lease()\",for=\"continuation\"} 9\n"), "\(text)")
    #expect(parts[1].contains("signalbox_task_chain_length{"), "\(text)")
  }
}
