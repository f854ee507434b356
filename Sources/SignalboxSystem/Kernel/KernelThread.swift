// KernelThread.swift: what the kernel says of a thread: whether it sleeps, how long it has run, its name; and which
// threads this process has. The call in which one sleeps is KernelCall.swift.
import CSignalbox
import Glibc

/// One reading of a thread.
public struct KernelThread: Sendable {
  /// Whether it sleeps in the kernel.
  public let isAsleep: Bool
  /// Whether it sleeps until something comes, rather than for a moment in the kernel's own business, such as reading a page.
  public let isWaiting: Bool
  /// Whether it has ended and only its shell is left: the main thread's stays until the process ends.
  public let hasEnded: Bool
  /// Nanoseconds it has run; 0 where the kernel does not tell, or was not asked.
  public let runTime: UInt64

  /// Reads thread `id` of this process; nil when it is gone. Costs a few microseconds: a short file read, and another for the
  /// time it has run.
  public static func sample(_ id: UInt64, withRunTime: Bool = false) -> KernelThread? {
    explored?(id) ?? sample(folder: "/proc/self/task/\(id)", withRunTime: withRunTime)
  }

  // SAFETY: written once, when the environment is read, by a program in which an explorer lets one thread run at a time.
  /// What an explorer that runs the program answers in the kernel's stead; nil: there is none, or it does not know the thread.
  nonisolated(unsafe) static var explored: ((UInt64) -> KernelThread?)?

  /// Reads thread `id` of process `process`; nil when it is gone.
  public static func sample(_ id: UInt64, ofProcess process: Int32) -> KernelThread? {
    sample(folder: "/proc/\(process)/task/\(id)", withRunTime: false)
  }

  private static func sample(folder: String, withRunTime: Bool) -> KernelThread? {
    guard let state = contents("\(folder)/stat") else { return nil }
    // The name in parentheses may hold anything: the state follows the last one.
    guard let close = state.lastIndex(of: UInt8(ascii: ")")), close + 2 < state.count else { return nil }
    let letter = state[close + 2]
    let schedule = withRunTime ? contents("\(folder)/schedstat") ?? [] : []
    let digits = schedule.prefix { $0 != UInt8(ascii: " ") }
    let isAsleep = letter == UInt8(ascii: "S") || letter == UInt8(ascii: "D")
    return KernelThread(
      isAsleep: isAsleep, isWaiting: letter == UInt8(ascii: "S"),
      hasEnded: letter == UInt8(ascii: "Z") || letter == UInt8(ascii: "X"),
      runTime: UInt64(String(decoding: digits, as: UTF8.self)) ?? 0)
  }

  /// Gives thread `id` of this process a name of at most 15 bytes; no effect when it is gone.
  public static func setName(_ id: UInt64, _ name: UnsafePointer<CChar>) {
    let descriptor = open("/proc/self/task/\(id)/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = sb_write(descriptor, name, strlen(name))
  }

  /// The name of thread `id` of this process as the kernel shows it; nil when it is gone. A short file read.
  public static func name(_ id: UInt64) -> String? {
    contents("/proc/self/task/\(id)/comm").map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
  }

  /// The signals thread `id` of this process blocks, bit n - 1 for signal n; nil when the kernel does not tell.
  static func blockedSignals(_ id: UInt64) -> UInt64? {
    guard let status = contents("/proc/self/task/\(id)/status") else { return nil }
    for line in status.split(separator: UInt8(ascii: "\n")) where line.starts(with: "SigBlk:".utf8) {
      return UInt64(String(decoding: line.dropFirst(7).filter { $0 > 32 }, as: UTF8.self), radix: 16)
    }
    return nil
  }

  static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Int(sb_read(descriptor, buffer.start, buffer.count)))
    }
    return bytes.isEmpty ? nil : bytes
  }
}

// MARK: which threads there are, and whether one has run meanwhile

extension KernelThread {
  /// The kernel's numbers of this process's threads, in no order; empty where /proc is not there.
  public static func all() -> [Int32] {
    guard let folder = opendir("/proc/self/task") else { return [] }
    defer { closedir(folder) }
    var threads: [Int32] = []
    while let entry = readdir(folder) {
      // SAFETY: `d_name` is a C string inside the entry, which stays until the next readdir.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let thread = Int32(name) { threads.append(thread) }
    }
    return threads
  }

  /// The kernel's name of thread `id` of this process, at most 15 bytes; nil when it is gone.
  public static func name(_ id: Int32) -> String? {
    guard let line = contents("/proc/self/task/\(id)/comm") else { return nil }
    return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Whether this process has a thread `id`. One system call.
  ///
  /// - Note: the main thread counts until the process ends, also after `pthread_exit`.
  public static func isAlive(_ id: Int32) -> Bool {
    let saved = errno
    defer { errno = saved }
    // ESRCH: no such thread. EINVAL: no thread's number. EPERM cannot be between threads of one process.
    return sb_thread_probe(id) == 0
  }

  /// How often thread `id` of this process has been put aside or has gone to sleep: unchanged for a sleeping thread means that
  /// it has not run in between. nil when it is gone, or the kernel does not tell.
  public static func switches(_ id: Int32) -> UInt64? {
    contents("/proc/self/task/\(id)/status").flatMap { switches(in: $0) }
  }

  /// The same of a thread whose status file holds `status`.
  static func switches(in status: [UInt8]) -> UInt64? {
    var sum: UInt64?
    for line in status.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[..<colon].suffix(13).elementsEqual("ctxt_switches".utf8)
      else { continue }
      guard let count = UInt64(String(decoding: line[(colon + 1)...].filter { $0 > 32 }, as: UTF8.self)) else { return nil }
      sum = (sum ?? 0) + count
    }
    return sum
  }
}
