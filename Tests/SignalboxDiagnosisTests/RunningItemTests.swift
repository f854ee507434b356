// RunningItemTests.swift: the item that each participant of a deadlock runs: what it is, and its function, in text and JSON.
import Glibc
import struct Foundation.Data
import class Foundation.JSONSerialization
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// A C function of a name of its own.
private let takesCroft: @convention(c) (UnsafeMutableRawPointer?) -> Void = { argument in
  Unmanaged<LockThing>.fromOpaque(argument!).takeUnretainedValue().want()
}

/// Two threads: one holds `lock` and waits for `queue`; the other is an item of that, which `submit` brings on its way, and asks for
/// the lock. The report's account of the item.
private func account(_ reports: Reports, _ queue: DispatchQueue, submit: (LockThing) -> Void) -> DeadlockReport.Item? {
  let (lock, before) = (LockThing(), reports.all.count)
  let isHeld = Count(), mayAsk = Count()
  PlainThread("holder") {
    lock.hold {
      isHeld.add()
      until("the item has come") { mayAsk.value == 1 }
      queue.sync(flags: .barrier) {}
    }
  }
  until("the lock is held") { isHeld.value == 1 }
  submit(lock)
  until("the item waits") { waitingThreads() > 0 }
  mayAsk.add()
  until("a report") { reports.all.count > before }
  let report = reports.all[before]
  #expect(report.participants.filter { $0.item != nil }.count == 1, "\(report.text)")
  return report.participants.compactMap(\.item).first
}

@Suite("Deadlock reports name the item that each participant runs") struct RunningItemTests {
  /// In a process for each kind, because the threads hang forever: the kind, as the report has it, and whether the function is known.
  private static func expectItem(
    _ kind: String, attributes: DispatchQueue.Attributes = [], knowsFunction: Bool = true,
    submit: (DispatchQueue, LockThing) -> Void
  ) {
    let reports = Reports()
    ForeignCycleDetector.onCycle = { _ in }
    let queue = DispatchQueue(label: "croft", attributes: attributes)
    let item = account(reports, queue) { submit(queue, $0) }
    #expect(item?.kind == kind && (item?.function ?? 0 != 0) == knowsFunction, "\(reports.all[0].text)")
    let text = reports.all[0].text, json = reports.all[0].json
    #expect(text.contains("    runs: \(kind)\(knowsFunction ? ": " : "\n")"), "\(text)")
    let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let items = (object?["participants"] as? [[String: Any]])?.compactMap { $0["item"] as? [String: Any] }
    #expect(
      items?.count == 1 && items?[0]["kind"] as? String == kind && items?[0]["function"] is String == knowsFunction, "\(json)")
    exit(0)
  }

  @Test("A running item is a closure of a serial queue, or one with a group")
  func closures() async {
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async") { queue, lock in queue.async { lock.want() } }
    }
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async") { queue, lock in queue.async(group: DispatchGroup()) { lock.want() } }
    }
  }

  @Test("A running item of a concurrent queue is a reader or a barrier")
  func concurrent() async {
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async", attributes: .concurrent) { queue, lock in queue.async { lock.want() } }
    }
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("barrier async", attributes: .concurrent) { queue, lock in
        queue.async(flags: .barrier) { lock.want() }
      }
    }
  }

  @Test("A running item is a work item, as a reader and as a barrier")
  func workItems() async {
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("work item") { queue, lock in queue.async(execute: DispatchWorkItem { lock.want() }) }
    }
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("barrier work item", attributes: .concurrent) { queue, lock in
        queue.async(execute: DispatchWorkItem(flags: .barrier) { lock.want() })
      }
    }
  }

  @Test("A running item is one whose submitter waits for it, or a C function")
  func others() async {
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async and wait") { queue, lock in
        queue.async { until("somebody waits behind") { waitingThreads() > 0 } }
        PlainThread("submitter") { queue.asyncAndWait { lock.want() } }
      }
    }
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async") { queue, lock in
        queue.async(CWork(takesCroft, Unmanaged.passRetained(lock).toOpaque()))
      }
    }
  }

  @Test("A running item that the target drains is the inner queue's")
  func nested() async {
    await #expect(processExitsWith: .success) {
      RunningItemTests.expectItem("async") { queue, lock in
        DispatchQueue(label: "inner", target: queue).async { lock.want() }
      }
    }
  }
}
