// OtherProcess.swift: what the kernel says of another process: whose it is, when it began, whether it computes, its
// environment. Processes that Signalbox starts are ChildProcess.swift.
import Glibc

/// One reading of a process.
public struct OtherProcess: Equatable, Sendable {
  /// The kernel's number.
  public let id: Int32
  /// The number that it has to itself: another in a container.
  public let innerID: Int32
  /// When it began, in the kernel's ticks since boot: two processes that have one number after another differ in it.
  public let start: UInt64
  /// The user whose rights it has.
  public let user: UInt32
  /// What the kernel calls it, at most 15 bytes.
  public let name: String
  /// All of its threads have ended, and its parent has not asked for its status yet.
  public let hasEnded: Bool

  /// Reads process `id`; nil: there is none, or the kernel does not show it.
  public init?(_ id: Int32) {
    guard let facts = KernelThread.contents("/proc/\(id)/stat").flatMap(ProcessStat.init) else { return nil }
    var status = stat()
    guard stat("/proc/\(id)", &status) == 0 else { return nil }
    self.id = id
    // A main thread that ended before others is shown as one whose status waits.
    hasEnded = "ZX".contains(facts.state) && facts.threads <= 1
    (start, name) = (facts.start, facts.name)
    // The folder is root's where the process has made itself unreadable; the status is right in any case.
    user = Self.words(id, "Uid:").flatMap { $0.count > 1 ? UInt32($0[1]) : nil } ?? status.st_uid
    innerID = Self.words(id, "NSpid:")?.last.flatMap { Int32($0) } ?? id
  }

  /// When this process began.
  public static var ownStart: UInt64 { KernelThread.contents("/proc/self/stat").flatMap(ProcessStat.init)?.start ?? 0 }

  /// The words of a line of /proc/N/status: `Uid: real effective saved file`, `NSpid: outermost … innermost`.
  private static func words(_ id: Int32, _ name: String) -> [String]? {
    guard let status = KernelThread.contents("/proc/\(id)/status") else { return nil }
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name.utf8) }
    return line.map { $0.dropFirst(name.utf8.count).split { $0 <= 32 }.map { String(decoding: $0, as: UTF8.self) } }
  }
}

/// A line of /proc/N/stat: of a process, or of a thread.
struct ProcessStat {
  let name: String
  let state: Character
  let start: UInt64
  /// Of the whole process; the main one counts until the process ends.
  let threads: Int

  /// The name in parentheses may hold anything: what follows the last one counts.
  init?(_ line: [UInt8]) {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let words = line[(close + 1)...].split { $0 <= 32 }
    // The state is the third of all, the number of threads the 20th, the start the 22nd.
    guard words.count > 19, let letter = words[0].first, let start = UInt64(String(decoding: words[19], as: UTF8.self)),
      let threads = Int(String(decoding: words[17], as: UTF8.self))
    else { return nil }
    (name, state) = (String(decoding: line[(open + 1)..<close], as: UTF8.self), Character(Unicode.Scalar(letter)))
    (self.start, self.threads) = (start, threads)
  }
}

extension KernelThread {
  /// What the kernel calls thread `id` of this process, and what it does: one short file read; nil when it is gone.
  public static func nameAndState(_ id: Int32) -> (name: String, state: Character)? {
    contents("/proc/self/task/\(id)/stat").flatMap(ProcessStat.init).map { ($0.name, $0.state) }
  }
}

extension KernelCall {
  /// What people call the system call, of those in which threads mostly sleep; nil for others.
  public var name: String? {
    #if arch(x86_64)
    let names: [Int: String] = [
      0: "read", 1: "write", 7: "poll", 23: "select", 34: "pause", 35: "nanosleep", 43: "accept", 45: "recvfrom", 47: "recvmsg",
      61: "wait4", 128: "rt_sigtimedwait", 130: "rt_sigsuspend", 202: "futex", 230: "clock_nanosleep", 232: "epoll_wait",
      247: "waitid", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4", 441: "epoll_pwait2",
    ]
    #else
    let names: [Int: String] = [
      22: "epoll_pwait", 63: "read", 64: "write", 72: "pselect6", 73: "ppoll", 95: "waitid", 98: "futex", 101: "nanosleep",
      115: "clock_nanosleep", 133: "rt_sigsuspend", 137: "rt_sigtimedwait", 202: "accept", 207: "recvfrom", 212: "recvmsg",
      242: "accept4", 260: "wait4", 441: "epoll_pwait2",
    ]
    #endif
    return names[number]
  }

  /// The call in words: its name, or `system call 999`.
  public var title: String { name ?? "system call \(number)" }
}

// MARK: for the sentence that says why it cannot be asked

extension OtherProcess {
  /// The kernel's letter for what a thread of a process does; nil when it is gone.
  public static func threadState(_ thread: String, of process: Int32) -> Character? {
    KernelThread.contents("/proc/\(process)/task/\(thread)/stat").flatMap(ProcessStat.init)?.state
  }

  /// Whether a process or one of its descendants computes, reads from a disk, or would compute if a processor were free: short reads of
  /// /proc, a few for each thread. Where the kernel lists no children, the process alone counts.
  ///
  /// - Parameter generations: how many are read, the process's own included.
  public static func isComputing(_ process: Int32, generations: Int = 2) -> Bool {
    guard generations > 0 else { return false }
    let folder = "/proc/\(process)/task"
    return ((try? Files.names(in: RawString(folder))) ?? []).contains { thread in
      if threadState(thread, of: process).map({ $0 == "R" || $0 == "D" }) == true { return true }
      let children = KernelThread.contents("\(folder)/\(thread)/children") ?? []
      return children.split(separator: UInt8(ascii: " ")).contains {
        Int32(String(decoding: $0, as: UTF8.self)).map { isComputing($0, generations: generations - 1) } == true
      }
    }
  }

  /// The environment that a process was started with; nil where the kernel does not show it.
  public static func environment(of process: Int32) -> [RawString]? {
    guard let file = try? FileBytes(RawString("/proc/\(process)/environ")) else { return nil }
    return file.read(at: 0, count: 4 << 20).split(separator: 0).map { RawString($0) }
  }
}
