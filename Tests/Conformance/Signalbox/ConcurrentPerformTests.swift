// ConcurrentPerformTests.swift: one body for many indices, on several threads, until all are done.
import Glibc
import Testing

/// How many processors this process may use: the bits of the kernel's mask.
private let processors: Int = {
  guard let status = fopen("/proc/self/status", "r") else { return 1 }
  defer { fclose(status) }
  var buffer = [UInt8](repeating: 0, count: 8192)
  let count = fread(&buffer, 1, buffer.count, status)
  let lines = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
  guard let mask = lines.first(where: { $0.hasPrefix("Cpus_allowed:") }) else { return 1 }
  return mask.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue).map(\.nonzeroBitCount).reduce(0, +)
}()

extension Conformance {
  @Suite("concurrentPerform") struct ConcurrentPerform {
    @Test("concurrentPerform gives each index once", arguments: [0, 1, 2, 3, 7, 64, 1000, 50_000])
    func eachIndexOnce(_ iterations: Int) async {
      await isolated {
        let given = Monitor([Int](repeating: 0, count: iterations))
        DispatchQueue.concurrentPerform(iterations: iterations) { index in given.access { $0[index] += 1 } }
        expect(given.access { counts in counts.allSatisfy { $0 == 1 } })
      }
    }

    @Test("concurrentPerform returns after the last body, and sees what they all wrote")
    func returnsAfterTheLast() async {
      await isolated {
        for _ in 0..<100 {
          var squares = [Int](repeating: 0, count: 100)
          squares.withUnsafeMutableBufferPointer { buffer in
            let slots = Shared(buffer.baseAddress!)
            DispatchQueue.concurrentPerform(iterations: 100) { slots.value[$0] = $0 * $0 }
          }
          expectEqual(squares, (0..<100).map { $0 * $0 })
        }
      }
    }

    @Test("A single iteration of concurrentPerform runs on the caller's thread")
    func single() async {
      await isolated {
        let caller = currentThread()
        DispatchQueue.concurrentPerform(iterations: 1) { _ in expectEqual(currentThread(), caller) }
      }
    }

    @Test("A body may call concurrentPerform again, and again")
    func nested() async {
      await isolated {
        let ran = Counter()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
          DispatchQueue.concurrentPerform(iterations: 6) { _ in
            DispatchQueue.concurrentPerform(iterations: 6) { _ in ran.add() }
          }
        }
        expectEqual(ran.value, 216)
      }
    }

    @Test("concurrentPerform works from items of every kind of queue")
    func fromItems() async {
      await isolated {
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent),
          .global(), .global(qos: .background), DispatchQueue(label: "targeting", target: DispatchQueue(label: "root")),
        ]
        let ran = Counter()
        let group = DispatchGroup()
        for queue in queues {
          queue.async(group: group) { DispatchQueue.concurrentPerform(iterations: 100) { _ in ran.add() } }
          queue.sync { DispatchQueue.concurrentPerform(iterations: 100) { _ in ran.add() } }
        }
        group.wait()
        expectEqual(ran.value, 1000)
      }
    }

    @Test("Many threads may call concurrentPerform at once")
    func fromManyThreads() async {
      await isolated {
        let ran = Counter()
        onThreads(8) { _ in
          for _ in 0..<20 { DispatchQueue.concurrentPerform(iterations: 50) { _ in ran.add() } }
        }
        expectEqual(ran.value, 8000)
      }
    }

    @Test("concurrentPerform ends while the pool is busy with items that block")
    func onABusyPool() async {
      await isolated {
        let release = Gate()
        let group = DispatchGroup()
        for _ in 0..<16 { DispatchQueue.global().async(group: group) { release.wait() } }
        let ran = Counter()
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in ran.add() }
        expectEqual(ran.value, 1000)
        release.open()
        group.wait()
      }
    }

    // The toolchain's library uses as many threads as there are processors: with one, its first body waits forever.
    @Test("Two bodies that wait for each other both end", .enabled(if: engineIsOurs || processors > 1))
    func bodiesThatMeet() async {
      await isolated {
        for _ in 0..<20 {
          let meeting = Meeting(of: 2)
          DispatchQueue.concurrentPerform(iterations: 2) { _ in meeting.attend() }
        }
      }
    }

    @Test("Bodies may submit items and wait for them")
    func bodiesThatSubmit() async {
      await isolated {
        let queue = DispatchQueue(label: "sink")
        let ran = Counter()
        DispatchQueue.concurrentPerform(iterations: 100) { index in
          let group = DispatchGroup()
          queue.async(group: group) { ran.add() }
          if index % 10 == 0 { queue.sync { ran.add() } }
          group.wait()
        }
        expectEqual(ran.value, 110)
      }
    }
  }
}
