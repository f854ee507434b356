// Programs.swift: becoming another program, asking one for what it prints, and having the system's own remove a folder.
// Finding it is SignalboxLaunch's.
import CSignalbox
import Glibc

/// Running other programs.
public enum Programs {
  /// Becomes the program at `path`: same process, descriptors, terminal, signals. Returns only if that failed.
  public static func become(_ path: RawString, arguments: [RawString], environment: [RawString]) -> SystemError {
    path.withCString { path in
      RawString.withCStrings(arguments) { arguments in
        RawString.withCStrings(environment) { environment in
          // Every error is the caller's to explain; nothing has changed then.
          execve(path, arguments, environment)
          return SystemError(call: "execve", code: errno)
        }
      }
    }
  }

  /// What a program printed on both streams, and how it ended.
  public struct Printed: Sendable, Equatable {
    /// At most a megabyte.
    public var bytes: [UInt8]
    /// The exit status; nil if it was ended by a signal or could not be waited for.
    public var status: Int32?
  }

  /// Runs a program that reads nothing and has no signal blocked, to its end or for `seconds` at most, and keeps what it prints.
  ///
  /// - Throws: `SystemError` if it cannot be started. Nothing is left of it afterwards in any case.
  public static func output(
    of path: RawString, arguments: [RawString], environment: [RawString], seconds: UInt64 = 10
  ) throws(SystemError) -> Printed {
    let start = ProcessStart(
      path: path, arguments: arguments, environment: environment, output: -1, error: -1, others: .kept)
    let ended = try run(start, deadline: Clock.uptime() + seconds * 1_000_000_000, each: nil)
    guard case .exit(let status) = ended.end else { return Printed(bytes: ended.bytes, status: nil) }
    return Printed(bytes: ended.bytes, status: status)
  }

  /// How a program has ended that `watch` ran.
  public enum End: Sendable, Equatable {
    /// By itself, with an exit status.
    case exit(Int32)
    /// By a signal that the caller did not send.
    case signal(Int32)
    /// Its time was over, or it printed more than a megabyte: the caller killed it.
    case limit
    /// `each` asked for the end: the caller killed it.
    case stopped
    /// The kernel does not tell: the process ignores SIGCHLD.
    case unknown
  }

  /// What a program printed that `watch` ran, and its end.
  public struct Watched: Sendable, Equatable {
    /// What it printed on both streams, a megabyte at most.
    public let bytes: [UInt8]
    /// How it has ended.
    public let end: End
    /// From before its start to after its end.
    public let nanoseconds: UInt64
  }

  /// Runs a program that reads nothing, in a process group of its own, to its end or for `nanoseconds` at most.
  ///
  /// - Parameter each: called with what has been printed so far, ten times a second; false ends the program.
  /// - Throws: `SystemError` if it cannot be started. Nothing is left of its group afterwards in any case.
  public static func watch(
    _ path: RawString, arguments: [RawString], environment: [RawString], nanoseconds: UInt64,
    each: ([UInt8]) -> Bool
  ) throws(SystemError) -> Watched {
    let begin = Clock.uptime()
    var start = ProcessStart(path: path, arguments: arguments, environment: environment, output: -1, error: -1)
    start.leadsGroup = true
    let ended = try withoutActuallyEscaping(each) { (each) throws(SystemError) in
      try run(start, deadline: begin + nanoseconds, each: each)
    }
    return Watched(bytes: ended.bytes, end: ended.end, nanoseconds: Clock.uptime() - begin)
  }

  /// Starts the program with a pipe as both its streams, and waits for its end.
  private static func run(
    _ start: ProcessStart, deadline: UInt64, each: (([UInt8]) -> Bool)?
  ) throws(SystemError) -> (bytes: [UInt8], end: End) {
    var ends: [Int32] = [-1, -1]
    try checked("pipe2", sb_pipe(&ends))
    defer { close(ends[0]) }
    let child: pid_t
    do throws(SystemError) {
      var start = start
      (start.output, start.error) = (ends[1], ends[1])
      child = try start.run()
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])
    let (bytes, reason) = readToEnd(ends[0], deadline: deadline, each)
    // At its end already, or it printed too much or took too long: no harm in the first case, wanted in the others.
    if reason != .end { kill(start.leadsGroup ? -child : child, SIGKILL) }
    // Other processes of its group may live on. Until the child is reaped no other group has its number.
    if start.leadsGroup {
      var info = siginfo_t(), result: Int32
      repeat { result = waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) } while result != 0 && errno == EINTR
      if result == 0 { kill(-child, SIGKILL) }
    }
    var raw: Int32 = 0
    while true {
      let waited = waitpid(child, &raw, 0)
      if waited == child { break }
      // ECHILD: whoever started us ignores SIGCHLD, and the kernel has taken the child away.
      if waited < 0 && errno != EINTR { return (bytes, .unknown) }
    }
    let signal = raw & 0x7f
    switch reason {
    case _ where signal == 0: return (bytes, .exit(raw >> 8 & 0xff))
    case .end: return (bytes, .signal(signal))
    case .tooLate, .tooMuch: return (bytes, .limit)
    case .stopped: return (bytes, .stopped)
    }
  }

  private enum Stop { case end, tooLate, tooMuch, stopped }

  private static func readToEnd(
    _ descriptor: Int32, deadline: UInt64, _ each: (([UInt8]) -> Bool)?
  ) -> (bytes: [UInt8], reason: Stop) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    let period: UInt64 = each == nil ? 1_000 : 100
    while bytes.count < 1 << 20 {
      let now = Clock.uptime()
      guard now < deadline else { return (bytes, .tooLate) }
      if let each, !each(bytes) { return (bytes, .stopped) }
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, Int32(min((deadline - now) / 1_000_000 + 1, period))) > 0 else { continue }
      let count = sb_read(descriptor, &buffer, buffer.count)
      if count == Int64(-EINTR) { continue }
      guard count > 0 else { return (bytes, .end) }
      bytes += buffer.prefix(Int(count))
    }
    return (bytes, .tooMuch)
  }
}

// MARK: a folder's removal

extension Files {
  /// Removes a folder and all that lies in it.
  public static func removeTree(_ path: RawString) {
    // What cannot be removed stays: it is in a folder for such things.
    _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", "--", path], environment: [], seconds: 60)
  }
}
