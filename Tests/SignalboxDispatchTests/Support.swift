// Support.swift: what the engine's tests share: waiting with a deadline that fails loudly, counting, what the kernel shows of
// this process's threads. Memory figures are Queues/Memory.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

/// Kills this process after `seconds`, so that a hang in a child process becomes a failure.
func killOnHang(after seconds: UInt64 = 500) { alarm(UInt32(seconds)) }

/// Begins a test of delays, processor time or limits in a child process: a hang kills it, and the pool keeps the
/// processors busy that are there, whatever number the environment pretends. Called before the pool is used.
func beginMeasured(killAfter seconds: UInt64 = 500) {
  killOnHang(after: seconds)
  unsetenv("SIGNALBOX_PROCESSORS")
}

/// A thread of the test's own.
final class TestThread: @unchecked Sendable {
  // SAFETY of @unchecked: the handle is written before any other code knows the object.
  private var handle = pthread_t()

  /// Runs `body` on it, at once.
  init(_ body: @escaping @Sendable () -> Void) {
    final class Start: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let status = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Start(body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
  }

  /// Waits for its end. Once only.
  func join() { pthread_join(handle, nil) }
}

/// Nanoseconds that `body` takes.
func duration(_ body: () -> Void) -> UInt64 {
  let start = Clock.uptime()
  body()
  return Clock.uptime() - start
}

/// Nanoseconds that the calling thread has a processor while `body` runs: others use the machine as well.
func threadTime(_ body: () -> Void) -> UInt64 {
  func now() -> UInt64 {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
  let start = now()
  body()
  return now() - start
}

/// Nanoseconds in this many milliseconds.
func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }

/// Runs a measurement until one is within `bound`: other processes of the machine may spoil some, a defect spoils all.
func best(of rounds: Int, within bound: UInt64, _ measure: () -> UInt64) -> UInt64 {
  var least = UInt64.max
  for _ in 0..<rounds where least > bound { least = min(least, measure()) }
  return least
}

/// A number that threads share.
final class Count: Sendable {
  private let number: Atomic64
  init(_ value: UInt64 = 0) { number = Atomic64(value) }
  var value: UInt64 {
    get { number.loadAcquire() }
    set { number.storeRelease(newValue) }
  }
  @discardableResult func add(_ value: UInt64 = 1) -> UInt64 { number.addSeqCst(value) &+ value }
}

/// A pipe whose readers sleep in the kernel until it is closed at the other end.
final class Tap: Sendable {
  private let ends: (Int32, Int32)
  init() {
    var ends: (Int32, Int32) = (-1, -1)
    let status = withUnsafeMutablePointer(to: &ends) { $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) } }
    precondition(status == 0, "no pipe for a test")
    self.ends = ends
  }
  /// Sleeps in `read` until `open()`.
  func waitInRead() {
    var byte: UInt8 = 0
    while read(ends.0, &byte, 1) < 0 {}
  }
  /// Lets every reader go on.
  func open() { close(ends.1) }
}

/// What the kernel shows of this process's threads.
enum Kernel {
  static func contents(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { text += buffer[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  /// The threads of this process.
  static func threads() -> [UInt64] {
    guard let folder = opendir("/proc/self/task") else { return [] }
    defer { closedir(folder) }
    var threads: [UInt64] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let thread = UInt64(name) { threads.append(thread) }
    }
    return threads
  }

  /// A thread's name; nil when the thread is gone.
  static func name(of thread: UInt64) -> String? {
    contents("/proc/self/task/\(thread)/comm").map { String($0.prefix { $0 != "\n" }) }
  }

  /// How often a thread has gone to sleep or was put aside.
  static func contextSwitches(of thread: UInt64) -> Int {
    let lines = (contents("/proc/self/task/\(thread)/status") ?? "").split(separator: "\n")
    return lines.filter { $0.contains("ctxt_switches") }.compactMap { Int($0.split(separator: "\t").last ?? "") }.reduce(0, +)
  }

  /// Whether threads sleep through the next `milliseconds` without a context switch, while the process uses less than
  /// 5 ms of processor time. A test asks until that holds: a machine that pauses its processors may spoil one span, a
  /// thread that polls spoils every span.
  static func isIdle(_ threads: [UInt64], milliseconds: Int) -> Bool {
    let (switches, processor) = (threads.map { contextSwitches(of: $0) }, Clock.processorTime())
    sleepPlainly(milliseconds: milliseconds)  // the span in which the kernel counts
    let spent = Clock.processorTime() - processor
    return threads.allSatisfy { KernelThread.sample($0)?.isWaiting == true } && spent < 5_000_000
      && threads.map { contextSwitches(of: $0) } == switches
  }
}

extension Pool {
  /// Threads that exist or are being made.
  var total: UInt64 { snapshot[PoolState.total] }
}
