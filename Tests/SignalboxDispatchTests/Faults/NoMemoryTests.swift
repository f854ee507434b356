// NoMemoryTests.swift: a report is made though the program has used up all the address space that it may have, and what is kept for a
// report: in its short form, a fixed text.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Limits the process to little more address space than it has, and takes all of that: mappings first, then the heap, down to pieces
/// of a kibibyte. The process has no thread of the library's: one that allocates meanwhile would be ended by Swift's runtime.
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
  _ = MemoryReserve.open()
  for size in [1 << 20, 1 << 16, 1 << 12] {
    while mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED {}
  }
  for size in [1 << 20, 1 << 16, 1 << 12, 1 << 10] { while malloc(size) != nil {} }
  precondition(mmap(nil, 1 << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && malloc(1 << 10) == nil)
}

/// The second time with no memory left: a deadlock.
private func lockTwice() {
  let lock = MutexLock()
  lock.lock()
  useUpMemory()
  lock.lock()
}

extension Faults {
  @Suite(
    "No memory is left when a report is made",
    .enabled(if: !Policy.ClockTimersTests.isSanitized, "a sanitizer needs memory itself, and ends the process without it")
  ) struct NoMemoryTests {
    @Test("With what is kept for a report gone, too, a deadlock is reported by a fixed text")
    func shortDeadlock() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        lockTwice()
      }
      expectStop(result, saying: "no memory is left to say which")
    }

    @Test("With what is kept for a report gone, too, a misuse is reported by a fixed text")
    func shortMisuse() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        let group = DispatchGroup()
        // Swift's runtime makes the types that a function's generic calls need when these run first, and ends the process without memory.
        group.enter()
        group.leave()
        useUpMemory()
        group.leave()
      }
      expectStop(result, saying: "misuse: the program is stopped, and no memory is left to say for what")
    }
  }
}
