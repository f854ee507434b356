// StoppedQueueTests.swift: what a report says of queues that are stopped and hold items nobody waits for by turn: members of a
// group, or what would signal a semaphore.
import Glibc
import Signalbox
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Stopped queues in a report") struct StoppedQueueTests {
  @Test("For a group's members in a suspended queue the report has the queue, its items, and where it was suspended")
  func group() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), group = DispatchGroup(), queue = DispatchQueue(label: "held")
      StallDetector.start(seconds: 3600)
      queue.suspend()
      for _ in 0..<2 { queue.async(group: group) {} }
      queue.async {}
      PlainThread("waiter") { group.wait() }
      let report = findings.one()
      let address = String(UInt(bitPattern: Unmanaged.passUnretained(group).toOpaque()), radix: 16)
      let line =
        "serial queue \"held\": suspended with 3 items in it (2 of group 0x\(address)), and nothing is left to resume it"
      #expect(report.text.contains(line), "\(report.text)")
      #expect(report.objects.map(\.object.kind) == [.group, .sync] && report.hint.hasPrefix("resume()"), "\(report.text)")
      #expect(report.objects[1].items.map(\.kind) == ["async", "async", "async"] && report.objects[1].stopped.count > 1)
      #expect(report.text.contains("\n    holds: async: ") && report.text.contains("\n    stopped at:\n      ("))
      #expect(report.json.contains("\"items\":[{\"kind\":\"async\",\"function\":\""), "\(report.json)")
      queue.resume()
      exit(0)
    }
  }

  @Test("The report has a queue that was never activated, with many items, and another queue that runs on it")
  func nested() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      StallDetector.start(seconds: 3600)
      let base = DispatchQueue(label: "base", attributes: .initiallyInactive)
      let above = DispatchQueue(label: "above", target: base)
      for _ in 0..<300 { base.async { semaphore.signal() } }
      for _ in 0..<7 { above.async {} }
      let item = DispatchWorkItem {}
      above.async(execute: item)
      PlainThread("waiter") { semaphore.wait() }
      let report = findings.one()
      let line = "serial queue \"base\": never activated with 308 items in it, and nothing is left to activate it"
      #expect(report.text.contains(line) && report.objects[1].items.count == 8, "\(report.text)")
      base.activate()
      item.wait()
      exit(0)
    }
  }

  @Test("A queue that runs, is empty, or is deallocated is not in the report")
  func others() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), empty = DispatchQueue(label: "empty")
      StallDetector.start(seconds: 3600)
      empty.suspend()
      for _ in 0..<10 {
        let queue = DispatchQueue(label: "resumed")
        queue.suspend()
        queue.async {}
        queue.resume()
        queue.sync {}
      }
      PlainThread("waiter") { semaphore.wait() }
      let report = findings.one()
      #expect(report.objects.map(\.object.kind) == [.semaphore], "\(report.text)")
      StallDetector.stop()
      empty.resume()
      exit(0)
    }
  }

  @Test("Every item runs of queues that are stopped, filled, resumed and freed while snapshots are taken")
  func storm() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), never = DispatchSemaphore(value: 0), end = Clock.uptime() + 1_500_000_000
      // The parties go on until the last scan is over: without them nobody would be left to end the wait.
      let isScanned = Atomic32(0)
      StallDetector.start(seconds: 3600)
      PlainThread("waiter") { never.wait() }
      let parties = (0..<2).map { _ in
        PlainThread("party") {
          while isScanned.loadAcquire() == 0 {
            let group = DispatchGroup(), queue = DispatchQueue(label: "storm")
            queue.suspend()
            for _ in 0..<20 { queue.async(group: group) {} }
            queue.resume()
            group.wait()
          }
        }
      }
      while Clock.uptime() < end {
        _ = StallDetector.scan()
        StopNotes.forEach { queue, _ in _ = Layers.first { $0.stopped(queue, groups: []) } }
      }
      isScanned.storeRelease(1)
      for party in parties { party.join() }
      #expect(findings.all.allSatisfy { $0.certainty == .suspected }, "\(findings.all.map(\.text))")
      exit(0)
    }
  }
}
