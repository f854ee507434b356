// SnapshotTests.swift: the figures as a program reads them: queues, pool, timers and locks, quantiles, and the line of JSON. Each test that
// counts has a process of its own.
import Glibc

import SignalboxSystem
import SignalboxTestSupport
import Testing

import struct Foundation.Data
import class Foundation.JSONSerialization

@testable import Signalbox
@testable import SignalboxDispatch

@Suite("Snapshots of figures") struct SnapshotTests {
  @Test("A snapshot has queues with their classes and waits, the pool's threads, armed timers, and locks that are counted")
  func whole() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      #expect(!Snapshot.isCounting && Snapshot.take().queues.isEmpty && Snapshot.take().locks.isEmpty)
      LockStatistics.start()
      Snapshot.startCounting()
      let lock = MutexLock(name: "counted"), queue = DispatchQueue(label: "requests", qos: .userInitiated)
      for _ in 0..<3 { lock.withLock {} }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .distantFuture)
      queue.asyncAfter(deadline: .now() + 3600) {}
      let inside = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
      queue.async {
        inside.signal()
        end.wait()
      }
      inside.wait()
      for _ in 0..<10 { queue.async {} }
      let snapshot = Snapshot.take()
      let requests = snapshot.queues.first { $0.label == "requests" }
      #expect(requests?.pending == 10 && requests?.done == 1 && requests?.qos == .userInitiated)
      #expect(snapshot.armedTimers == 1 && snapshot.time > 1_700_000_000)
      let pool = snapshot.pools.first { $0.name == "default" }
      #expect((pool?.threads ?? 0) >= 1 && (pool?.limit ?? 0) >= (pool?.threads ?? 0))
      #expect(snapshot.locks.first { $0.name.contains("counted") }?.acquisitions == 3)
      #expect(Snapshot.take().locks.contains { $0.name.contains("counted") }, "the name that was found out")
      end.signal()
      queue.sync {}
      Snapshot.stopCounting()
      LockStatistics.stop()
      #expect(!Snapshot.isCounting && Snapshot.take().locks.isEmpty)
    }
  }

  @Test("A queue's oldest item has waited since the first snapshot that had it, at least; a queue without items has none")
  func oldest() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      Snapshot.startCounting()
      let queue = DispatchQueue(label: "stands")
      queue.async {}
      queue.sync {}
      queue.suspend()
      let begun = Clock.uptime()
      queue.async {}
      func oldest() -> Double? { Snapshot.take().queues.first { $0.label == "stands" }?.oldestPending }
      #expect(oldest() == nil)
      let noted = Clock.uptime()
      while Clock.uptime() < noted + 50_000_000 {}
      let shown = oldest() ?? 0
      #expect(shown >= 0.05 && shown <= Double(Clock.uptime() - begun) / 1e9, "\(shown)")
      queue.resume()
      queue.sync {}
      #expect(oldest() == nil)
    }
  }

  @Test("Its line of JSON says the same")
  func json() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      FigureSampling.testsOnly_takeAll(true)
      Snapshot.startCounting()
      let queue = DispatchQueue(label: "with \"quotes\""), group = DispatchGroup()
      for _ in 0..<20 { queue.async(group: group) {} }
      group.wait()
      let line = Snapshot.take().json
      let object = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
      #expect(!line.contains("\n") && object["time"] is Double && object["timers"] as? Int == 0)
      let found = (object["queues"] as! [[String: Any]]).first { $0["label"] as? String == "with \"quotes\"" }
      #expect(found?["done"] as? Int == 20 && found?["pending"] as? Int == 0 && found?["samples"] as? Int == 20)
      #expect((found?["p50"] as? Double ?? 0) > 0 && (found?["p99"] as? Double ?? 0) >= (found?["p50"] as? Double ?? 1))
      #expect((object["pools"] as! [[String: Any]]).contains { $0["name"] as? String == "default" && $0["threads"] is Int })
      #expect((object["locks"] as! [Any]).isEmpty)
    }
  }

  @Test("Quantiles are the ends of the buckets that the items before them fill; none without items")
  func quantiles() {
    // Buckets end at 160, 192, 224 and 256 ticks, and a tick lasts a second here.
    let waits = Snapshot.Waits(counts: [5, 0, 4, 1], secondsPerTick: 1)
    #expect(waits.count == 10)
    #expect(waits.quantile(0.5) == 160 && waits.quantile(0) == 160 && waits.quantile(-1) == 160)
    #expect(waits.quantile(0.51) == 224 && waits.quantile(0.9) == 224 && waits.quantile(0.91) == 256)
    #expect(waits.quantile(1) == 256 && waits.quantile(7) == 256)
    #expect(Snapshot.Waits().quantile(0.5) == nil)
    let sum = Snapshot.Waits() + waits + Snapshot.Waits(counts: [1], secondsPerTick: 1)
    #expect(sum.buckets.map(\.count) == [6, 4, 1] && sum.quantile(1) == 256)
    #expect(waits.buckets.map(\.end) == [160, 224, 256] && waits.buckets.map(\.count) == [5, 4, 1])
  }
}
