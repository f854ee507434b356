// TaskTrackingTests.swift: the times of a program's own tasks. In child processes: figures are the process's, and so
// are its tasks.
import Glibc
import SignalboxTestSupport
import Synchronization
import Testing

@testable import Signalbox

/// Continuations that stay.
private final class Kept: Sendable {
  private let all = Mutex<[UnsafeContinuation<Void, Never>]>([])
  @inline(never) func wait() async {
    await withUnsafeContinuation { continuation in all.withLock { $0.append(continuation) } }
  }
}

@inline(never) private func computeAndWait(_ kept: Kept) async {
  let clock = ContinuousClock(), end = clock.now.advanced(by: .milliseconds(20))
  while clock.now < end {}
  await kept.wait()
}

@Suite("Times of the program's tasks") struct TaskTrackingTests {
  @Test("Each task that a queue runs has times, and so has the function in which it begins; without tracking none has")
  func times() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let queue = DispatchQueue(label: "tracked"), kept = Kept()
      func found(_ name: String) -> (task: Tasks.Task?, snapshot: Tasks.Snapshot) {
        let snapshot = Tasks.snapshot(withLines: false)
        return (snapshot.tasks.first { $0.name == name && $0.state == .suspended }, snapshot)
      }
      Task(name: "before", executorPreference: queue) { await computeAndWait(kept) }
      while found("before").task == nil { await Task.yield() }
      #expect(found("before").task?.times == nil && found("before").snapshot.functions.isEmpty)
      Tasks.track()
      let begin = ContinuousClock.now
      // All are queued before the first begins.
      queue.suspend()
      for number in 0..<3 { Task(name: "tracked \(number)", executorPreference: queue) { await computeAndWait(kept) } }
      queue.resume()
      while found("tracked 2").task?.times == nil { await Task.yield() }
      let (last, snapshot) = found("tracked 2"), elapsed = ContinuousClock.now - begin
      let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      guard let times = last?.times else { return #expect(Bool(false)) }
      // Serial: before it two others had the queue, for 20 ms each.
      #expect(times.parts == 1 && times.busy >= 0.0199 && times.queued >= 0.0398, "\(times)")
      #expect(times.age <= seconds && abs(times.queued + times.busy + times.since - times.age) < 0.001, "\(times) \(seconds)")
      let functions = snapshot.functions.filter { $0.function.name.contains("closure") && $0.tasks == 3 }
      #expect(functions.count == 1, "\(snapshot.functions)")
      #expect(functions[0].parts == 3 && functions[0].busy >= 0.0597 && functions[0].queued >= 0.0597)
      #expect(snapshot.json.contains("\"taskFunctions\":[{\"function\":\"") && snapshot.json.contains("\"parts\":1,\"began\":"))
      #expect(found("before").task?.times == nil)
      exit(0)
    }
  }
}
