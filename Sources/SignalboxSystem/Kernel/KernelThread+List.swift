// KernelThread+List.swift: which threads this process has, what the kernel calls them, and whether one has run meanwhile.
import CSignalbox
import Glibc

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
