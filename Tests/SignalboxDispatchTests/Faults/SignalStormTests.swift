// SignalStormTests.swift: every system call of every thread is interrupted, again and again, while everything is used at once.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// How often each thread has been interrupted, by the low bits of its number.
// SAFETY: each thread writes its own word, in a signal handler; the test reads what may be a little old.
nonisolated(unsafe) private let interruptions = UnsafeMutablePointer<Int>.allocate(capacity: 1 << 16)

/// The kernel's number of the calling thread, and a signal for one thread: the C library's, which its Swift module leaves out.
private let ownNumber = unsafeBitCast(dlsym(nil, "gettid")!, to: (@convention(c) () -> pid_t).self)
private let signalThread = unsafeBitCast(dlsym(nil, "tgkill")!, to: (@convention(c) (pid_t, pid_t, Int32) -> Int32).self)

/// A thread that sends all others signals whose handler does nothing, and that interrupt system calls.
private final class Storm: @unchecked Sendable {
  // SAFETY of @unchecked: the handle is the maker's; the rest is atomic.
  private let isOver = Atomic32(0)
  private var handle = pthread_t()
  let rounds = Count()
  /// Pool threads and Signalbox's other threads have the program's signals blocked, but for this one.
  private static let signals = [SIGUSR2, SIGPROF]

  init() {
    interruptions.initialize(repeating: 0, count: 1 << 16)
    _ = ownNumber()  // looked up here, not in the handler
    for number in Self.signals {
      var action = sigaction()  // no SA_RESTART
      action.__sigaction_handler.sa_handler = { _ in interruptions[Int(ownNumber()) & 0xFFFF] += 1 }
      sigaction(number, &action, nil)
    }
    let status = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Storm>.fromOpaque(context!).takeUnretainedValue().blow()
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    precondition(status == 0, "no thread for a test")
  }

  private func blow() {
    let me = UInt64(ownNumber())
    while isOver.loadAcquire() == 0 {
      for thread in Kernel.threads() where thread != me {
        for number in Self.signals { _ = signalThread(getpid(), pid_t(thread), number) }
      }
      rounds.add()
      sleepPlainly(microseconds: 200)  // time for those that were disturbed to go on
    }
  }

  func end() {
    isOver.storeRelease(1)
    pthread_join(handle, nil)
  }

  /// How often the threads of this name were interrupted.
  static func count(of name: String) -> Int {
    Kernel.threads().filter { Kernel.name(of: $0) == name }.map { interruptions[Int($0) & 0xFFFF] }.reduce(0, +)
  }
}

/// A pipe whose source sends on what it reads, until `count` bytes have come.
private func passBytes(_ count: Int) -> Count {
  let (pipe, seen) = (IOPipe(), Count())
  let (output, input) = (pipe.output, pipe.input)
  let source = DispatchSource.makeReadSource(fileDescriptor: output, queue: DispatchQueue(label: "storm.source"))
  source.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: 4)
    let got = read(output, &bytes, 4)
    if got > 0, seen.add(UInt64(got)) < UInt64(count) { _ = write(input, bytes, got) } else if got > 0 { source.cancel() }
  }
  source.setCancelHandler { withExtendedLifetime(pipe) {} }
  source.activate()
  pipe.put([1, 2, 3, 4])
  return seen
}

extension Faults {
  @Suite struct SignalStormTests {
    @Test(
      "Under a storm of signals sources, timers, channels, locks and waits work, and no wait ends early",
      .enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer's runtime cannot be interrupted by a handler in Swift"))
    func storm() async {
      await #expect(processExitsWith: .success) {
        killOnHang(after: 500)
        let storm = Storm()
        let passed = (0..<8).map { _ in passBytes(4_000) }
        let (ticks, sum, group) = (Count(), Count(), DispatchGroup())
        let timer = DispatchSource.makeTimerSource()
        let start = Clock.uptime()
        timer.setEventHandler {
          ticks.add(UInt64(timer.data))
          precondition(Clock.uptime() - start >= (ticks.value - 1) * 2_000_000, "a timer came early")
        }
        timer.schedule(deadline: .now(), repeating: .milliseconds(2))
        timer.activate()
        Self.copy(group)
        Self.contend(group, sum)
        for _ in 0..<20 { Self.waitInVain() }
        precondition(group.wait(timeout: .now() + .seconds(Int(patience))) == .success, "the copy or the lock hangs")
        precondition(sum.value == 40_000, "\(sum.value)")
        precondition(eventually { passed.allSatisfy { $0.value >= 4_000 } && ticks.value >= 200 })
        precondition(eventually { Storm.count(of: "signalbox.event") > 20 && storm.rounds.value > 200 })
        timer.cancel()
        storm.end()
      }
    }

    /// A file through a channel into a pipe, whose bytes another channel reads.
    @Sendable private static func copy(_ group: DispatchGroup) {
      let (file, pipe, ends) = (IOFile(count: 4 << 20), IOPipe(), IOEnds())
      let (from, to) = (ends.channel(.stream, path: file.path, O_RDONLY), ends.channel(.stream, pipe.input))
      let back = ends.channel(.stream, pipe.output)
      let all = IOCalls.read(back, 0, 4 << 20)
      group.enter()
      from.read(offset: 0, length: .max, queue: DispatchQueue(label: "storm.copy")) { _, data, error in
        precondition(error == 0)
        if let data, data.count > 0 { to.write(offset: 0, data: data, queue: .global()) { precondition($2 == 0 || $0) } }
      }
      DispatchQueue.global().async {
        _ = all.wait()
        precondition(
          all.bytes == IOFile.pattern(0..<1 << 20) + IOFile.pattern(0..<1 << 20) + IOFile.pattern(0..<1 << 20)
            + IOFile.pattern(0..<1 << 20), "\(all.count) bytes of the file came through")
        for channel in [from, to, back] { channel.close() }
        withExtendedLifetime((file, pipe)) { group.leave() }
      }
    }

    /// Four items that add to one number, under a lock whose holder sleeps now and then, and behind a serial queue.
    @Sendable private static func contend(_ group: DispatchGroup, _ sum: Count) {
      let (lock, queue, turns) = (OSAllocatedUnfairLock(), DispatchQueue(label: "storm.sync"), DispatchSemaphore(value: 1))
      for _ in 0..<4 {
        DispatchQueue.global().async(group: group) {
          for round in 0..<5_000 {
            lock.withLock {
              if round % 500 == 0 { sleepPlainly(milliseconds: 1) }  // work that sleeps
              sum.value += 1
            }
            turns.wait()
            queue.sync { lock.withLock { sum.value += 1 } }
            turns.signal()
          }
        }
      }
    }

    /// Waits that no thread answers, for 5 ms each.
    @Sendable private static func waitInVain() {
      let start = Clock.uptime()
      precondition(DispatchSemaphore(value: 0).wait(timeout: .now() + 0.005) == .timedOut)
      let group = DispatchGroup()
      group.enter()
      precondition(group.wait(timeout: .now() + 0.005) == .timedOut)
      group.leave()
      precondition(Clock.uptime() - start >= 10_000_000, "a wait ended early")
    }
  }
}
