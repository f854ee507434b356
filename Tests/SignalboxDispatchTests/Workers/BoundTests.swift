// BoundTests.swift: the most threads: at the bound one line tells what blocks, nothing stops, and everything ends once
// signalled.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct BoundTests {
    /// Submits `count` items to `queue` that wait for one semaphore each in turn, and lets them go when the pool stands at its
    /// bound: all must end.
    static func block(_ count: Int, on queue: DispatchQueue) {
      let (semaphore, all) = (DispatchSemaphore(value: 0), DispatchGroup())
      for _ in 0..<count { queue.async(group: all) { semaphore.wait() } }
      #expect(eventually { Pool.shared.total == Pool.shared.bound })
      #expect(Pool.shared.total <= Pool.shared.bound)
      // Work that comes in later finds the pool at its bound, too; it must neither be lost nor be reported again.
      for _ in 0..<20 { queue.async(group: all) {} }
      #expect(all.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
      for _ in 0..<count { semaphore.signal() }
      #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }

    /// The lines a child wrote about the bound.
    static func lines(_ result: ExitTest.Result?) -> [Substring] {
      errorText(result).split(separator: "\n")
        .filter { $0.contains("worker threads are in use") }
    }

    @Test("600 blocked items give one report at 512 threads, and all end")
    func sixHundred() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        BoundTests.block(600, on: DispatchQueue(label: "readers", attributes: .concurrent))
        #expect(Pool.shared.bound == 512)
      }
      let lines = Self.lines(result)
      #expect(lines.count == 1, "\(lines)")
      for part in ["all 512 worker threads", "blocked", "\"readers\"", "SIGNALBOX_MAX_THREADS"] {
        #expect(lines.first?.contains(part) == true, "\(lines)")
      }
    }

    @Test("The environment sets the bound on threads; long labels are reported whole")
    func environment() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        setenv("SIGNALBOX_MAX_THREADS", "20", 1)
        BoundTests.block(60, on: DispatchQueue(label: "com.example.blocking-readers", attributes: .concurrent))
        #expect(Pool.shared.bound == 20)
      }
      let lines = Self.lines(result)
      #expect(lines.count == 1, "\(lines)")
      #expect(lines.first?.contains("all 20 worker threads") == true, "\(lines)")
      #expect(lines.first?.contains("\"com.example.blocking-readers\"") == true, "\(lines)")
    }

    @Test("Where the environment sets the bound all classes share the threads, in the order of their classes")
    func allClasses() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        setenv("SIGNALBOX_MAX_THREADS", "1", 1)
        let (semaphore, all, order) = (DispatchSemaphore(value: 0), DispatchGroup(), Shared<[DispatchQoS.QoSClass]>([]))
        let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated]
        DispatchQueue.global().async(group: all) { semaphore.wait() }
        for qos in classes {
          DispatchQueue.global(qos: qos).async(group: all) { order.value.append(qos) }
          DispatchQueue(label: "serial", target: .global(qos: qos)).async(group: all) { order.value.append(qos) }
        }
        semaphore.signal()
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(order.value == classes.reversed().flatMap { [$0, $0] })
        #expect(Pools.all.count == 1 && Pool.shared.total == 1)
        #expect(classes.allSatisfy { DispatchQoS.granted.niceness(of: $0) == 0 })
      }
    }

    @Test("Serial queues that block are named one by one")
    func serialQueues() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        setenv("SIGNALBOX_MAX_THREADS", "4", 1)
        let (semaphore, all) = (DispatchSemaphore(value: 0), DispatchGroup())
        func block(_ indices: Range<Int>) {
          for index in indices { DispatchQueue(label: "serial.\(index)").async(group: all) { semaphore.wait() } }
        }
        block(0..<3)
        // The report may come while the last free worker is about to block, too: so those that it is to name block before.
        #expect(eventually { EngineFigures.pools().contains { $0.threads - $0.running - $0.idle == 3 } })
        block(3..<6)
        #expect(all.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
        for _ in 0..<6 { semaphore.signal() }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
      let lines = Self.lines(result)
      #expect(lines.count == 1, "\(lines)")
      let named = (0..<6).filter { lines.first?.contains("1 in \"serial.\($0)\"") == true }
      #expect(named.count >= 3, "\(lines)")
    }

    @Test("A bound that is no number is reported, and the usual one is used")
    func nonsense() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        setenv("SIGNALBOX_MAX_THREADS", "many", 1)
        #expect(Pool.shared.bound == 512)
      }
      expectReport(result, saying: "SIGNALBOX_MAX_THREADS=many is not a number from 1 to 32000: 512 is used")
    }
  }
}
