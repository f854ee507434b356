// AdoptConcurrencyTests.swift: the pool as the process's executors. In child processes, since it cannot be taken back.
import Glibc
import SignalboxTestSupport
import Testing

@testable import Signalbox

private actor Plain {
  func place() async -> [String?] {
    var labels = [DispatchQueue.currentLabel]
    await Task.yield()
    labels.append(DispatchQueue.currentLabel)
    return labels
  }
}

@Suite("Swift's tasks on the pool") struct AdoptConcurrencyTests {
  @Test("Tasks, children, groups and actors run on the pool, in the class of their priority") func places() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      Signalbox.adoptConcurrency()
      Signalbox.adoptConcurrency()
      let expected: [(TaskPriority, String)] = [
        (.background, "background"), (.low, "utility"), (.medium, "default"), (.high, "user-initiated"),
      ]
      for (priority, name) in expected {
        let ended = Count()
        Task.detached(priority: priority) {
          let label = "com.apple.root.\(name)-qos"
          #expect(DispatchQueue.currentLabel == label)
          await Task.yield()
          #expect(DispatchQueue.currentLabel == label)
          async let child = DispatchQueue.currentLabel
          #expect(await child == label)
          #expect(await Plain().place() == [label, label])
          await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { DispatchQueue.currentLabel } }
            for await place in group { #expect(place == label) }
          }
          ended.add()
        }
        #expect(await eventuallyYielding { ended.value == 1 })
      }
      exit(0)
    }
  }

  @Test("Sleeping tasks resume on the pool, never early, on each clock") func sleeps() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      Signalbox.adoptConcurrency()
      await Task.detached {
        await expectSleep(on: ContinuousClock())
        await expectSleep(on: SuspendingClock())
        // What a sleep takes is what is tested, here and below.
        let took = await ContinuousClock().measure { try? await Task.sleep(nanoseconds: 20_000_000) }
        #expect(took >= .milliseconds(20))
        #expect(DispatchQueue.currentLabel == "com.apple.root.default-qos")
        // Cancelled at once.
        let cancelled = Task { try await Task.sleep(for: .seconds(3_600)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
      }.value
      exit(0)
    }
  }

  @Test("The main actor's jobs are items of the main queue, in one order with others") func mainActor() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      Signalbox.adoptConcurrency()
      await Task.detached {
        await MainActor.run {
          #expect(DispatchQueue.currentLabel == "com.apple.main-thread")
          MainActor.preconditionIsolated()
        }
        let log = Log()
        for round in 0..<100 {
          DispatchQueue.main.async { MainActor.assumeIsolated { log.entries.append(3 * round) } }
          let job = Task.immediate { await Self.note(3 * round + 1, in: log) }
          DispatchQueue.main.async { MainActor.assumeIsolated { log.entries.append(3 * round + 2) } }
          await job.value
        }
        await MainActor.run { #expect(log.entries == Array(0..<300)) }
      }.value
      exit(0)
    }
  }

  @MainActor private static func note(_ number: Int, in log: Log) { log.entries.append(number) }

  @Test("Thousands of tasks and sleeps end") func stress() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      Signalbox.adoptConcurrency()
      let ended = Count()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<5_000 {
          group.addTask {
            // Some go on later, in no order.
            if number % 50 == 0 { try? await Task.sleep(for: .microseconds(number % 700)) }
            await Task.yield()
            ended.add()
          }
        }
      }
      #expect(ended.value == 5_000)
      exit(0)
    }
  }

  @Test("Durations become nanoseconds, rounded up, and no more than the clocks hold") func durations() {
    #expect(JobTime.nanoseconds(.milliseconds(3)) == 3_000_000)
    #expect(JobTime.nanoseconds(Duration(secondsComponent: 0, attosecondsComponent: 1)) == 1)
    #expect(JobTime.nanoseconds(.zero) == 0)
    #expect(JobTime.nanoseconds(.seconds(-1)) == 0)
    #expect(JobTime.nanoseconds(.seconds(Int64.max)) == .max)
  }
}

private func expectSleep(on clock: some Clock<Duration>) async {
  let begin = clock.now
  // What a sleep takes is what is tested.
  try? await Task.sleep(for: .milliseconds(20), clock: clock)
  #expect(begin.duration(to: clock.now) >= .milliseconds(20))
  #expect(DispatchQueue.currentLabel == "com.apple.root.default-qos")
}

/// What ran, in order.
@MainActor private final class Log {
  nonisolated init() {}
  var entries: [Int] = []
}
