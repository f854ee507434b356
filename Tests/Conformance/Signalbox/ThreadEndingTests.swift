// ThreadEndingTests.swift: items that end the thread they run on. The toolchain's library calls that a premature thread
// exit and crashes, so only ours is asked.
import Glibc
import Testing

extension Conformance {
  @Suite("Items that end their thread", .enabled(if: engineIsOurs)) struct ThreadEnding {
    @Test("An item that ends its thread counts as over, and the next one of its serial queue runs")
    func serialQueue() async {
      await isolated {
        let queue = DispatchQueue(label: "serial")
        let log = Recorder<Int>()
        for number in 0..<10 {
          queue.async {
            log.add(number)
            if number % 2 == 0 { pthread_exit(nil) }
          }
        }
        log.wait(count: 10)
        expectEqual(log.entries, Array(0..<10))
        expectEqual(queue.sync { 1 }, 1)
      }
    }

    @Test("Readers and barriers behind an item that ends its thread run")
    func concurrentQueue() async {
      await isolated {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let ran = Counter()
        for number in 0..<20 {
          queue.async(flags: number % 5 == 0 ? .barrier : []) {
            ran.add()
            pthread_exit(nil)
          }
        }
        queue.sync(flags: .barrier) {}
        expectEqual(ran.value, 20)
      }
    }

    @Test("What an item has submitted to an idle queue before it ends its thread runs")
    func submittedBefore() async {
      await isolated {
        let queue = DispatchQueue(label: "ending"), idle = DispatchQueue(label: "idle")
        let log = Recorder<Int>()
        for number in 0..<10 {
          queue.async {
            idle.async { log.add(number) }
            pthread_exit(nil)
          }
          log.wait(count: number + 1)
        }
        expectEqual(log.entries, Array(0..<10))
      }
    }

    @Test("An item that ends its thread leaves its group, and global queues keep their threads")
    func groupsAndGlobalQueues() async {
      await isolated {
        let group = DispatchGroup()
        let ran = Counter()
        for _ in 0..<50 {
          DispatchQueue.global().async(group: group) {
            ran.add()
            pthread_exit(nil)
          }
        }
        expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
        expectEqual(ran.value, 50)
      }
    }
  }
}
