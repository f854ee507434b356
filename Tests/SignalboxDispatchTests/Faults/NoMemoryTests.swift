// NoMemoryTests.swift: a report is made though the program has used up all the address space that it may have: from what is kept for it,
// without the names of functions; else in its short form, a fixed text.
import Glibc
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Limits the process to little more address space than it has, and takes all of that: mappings first, then the heap, down to pieces
/// of a kibibyte. Without `hasReserve` what is kept for a report is taken as well.
private func useUpMemory(hasReserve: Bool = true) {
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
  if !hasReserve {
    _ = MemoryReserve.open()
    while mmap(nil, 1 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED {}
    while malloc(1 << 10) != nil {}
  }
  precondition(mmap(nil, 1 << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && malloc(1 << 10) == nil)
}

/// The pool has a thread: what is kept for a report is kept from then on.
private func awaitThread() {
  let ran = DispatchSemaphore(value: 0)
  DispatchQueue.global().async { ran.signal() }
  ran.wait()
}

/// The second time with no memory left.
private func lockTwice(hasReserve: Bool = true) {
  let lock = OSAllocatedUnfairLock()
  lock.lock()
  useUpMemory(hasReserve: hasReserve)
  lock.lock()
}

/// The same of a lock whose second taking is a deadlock, and no misuse.
private func lockMutexTwice(hasReserve: Bool = true) {
  let lock = MutexLock()
  lock.lock()
  useUpMemory(hasReserve: hasReserve)
  lock.lock()
}

extension Faults {
  @Suite("No memory is left when a report is made") struct NoMemoryTests {
    @Test("With what is kept for a report gone, too, a deadlock is reported by a fixed text")
    func shortDeadlock() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        awaitThread()
        lockMutexTwice(hasReserve: false)
      }
      expectStop(result, saying: "no memory is left to say which")
    }

    @Test("With what is kept for a report gone, too, a misuse is reported by a fixed text")
    func shortMisuse() async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        killOnHang()
        awaitThread()
        let group = DispatchGroup()
        useUpMemory(hasReserve: false)
        group.leave()
      }
      expectStop(result, saying: "misuse: the program is stopped, and no memory is left to say for what")
    }
  }
}
