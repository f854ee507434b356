// NoMemoryTests.swift: a report is made though the program has used up all the address space that it may have.
import Glibc
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Limits the process to little more address space than it has, and takes all of that: mappings first, then the heap, down to pieces
/// of a kibibyte.
private func useUpMemory() {
  var numbers = [UInt8](repeating: 0, count: 256)
  let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  let count = read(file, &numbers, numbers.count)
  close(file)
  let pages = rlim_t(String(decoding: numbers[..<count], as: UTF8.self).prefix { $0 != " " })!
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
  getrlimit(resource, &limit)
  limit.rlim_cur = pages * rlim_t(getpagesize()) + 4 << 20
  precondition(setrlimit(resource, &limit) == 0)
  for size in [1 << 20, 1 << 16, 1 << 12] {
    while mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED {}
  }
  for size in [1 << 20, 1 << 16, 1 << 12, 1 << 10] { while malloc(size) != nil {} }
  precondition(mmap(nil, 1 << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && malloc(1 << 10) == nil)
}

/// The second time with no memory left.
private func lockTwice() {
  let lock = OSAllocatedUnfairLock()
  lock.lock()
  useUpMemory()
  lock.lock()
}

extension Faults {
  @Suite("No memory is left when a report is made") struct NoMemoryTests {
    @Test("An item that waits for its own group")
    func itself() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        let (queue, group, over) = (DispatchQueue(label: "one"), DispatchGroup(), DispatchSemaphore(value: 0))
        queue.sync {}
        queue.async {
          queue.async(group: group) {}
          useUpMemory()
          group.wait()
        }
        over.wait()
      }
      expectStop(result, saying: "deadlock: a thread waits for itself", "holds serial queue \"one\" and wants group 0x")
    }

    @Test("Two queues that wait for each other")
    func cycle() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        let (left, right) = (DispatchQueue(label: "left"), DispatchQueue(label: "right"))
        let (isHeld, over, thread) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Count())
        left.async {
          isHeld.wait()
          awaitState("the other queue's thread waits") { KernelThread.sample(thread.value)?.isAsleep == true }
          useUpMemory()
          right.sync {}
        }
        right.async {
          thread.value = UInt64(ThreadSlot.kernelID())
          isHeld.signal()
          left.sync {}
        }
        over.wait()
      }
      expectStop(result, saying: "deadlock: 2 threads wait for one another", "\"left\"", "\"right\"")
    }

    @Test("A lock that its holder locks again")
    func misuse() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        let ran = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { ran.signal() }
        ran.wait()
        lockTwice()
      }
      expectStop(result, saying: "misuse: deadlock of one thread: it locks the")
    }
  }
}
