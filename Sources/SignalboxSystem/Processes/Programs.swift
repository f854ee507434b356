// Programs.swift: becoming another program, and asking one for what it prints. Finding it is SignalboxLaunch's.
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
    var ends: [Int32] = [-1, -1]
    try checked("pipe2", sb_pipe(&ends))
    defer { close(ends[0]) }
    let child: pid_t
    do throws(SystemError) {
      child = try ProcessStart(
        path: path, arguments: arguments, environment: environment, output: ends[1], error: ends[1], others: .kept
      ).run()
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])
    let bytes = readToEnd(ends[0], deadline: Clock.uptime() + seconds * 1_000_000_000)
    // At its end already, or it printed too much or took too long: no harm in the first case, wanted in the others.
    if bytes.reason != .end { kill(child, SIGKILL) }
    var raw: Int32 = 0
    while true {
      let waited = waitpid(child, &raw, 0)
      if waited == child { break }
      // ECHILD: whoever started us ignores SIGCHLD, and the kernel has taken the child away.
      if waited < 0 && errno != EINTR { return Printed(bytes: bytes.bytes, status: nil) }
    }
    return Printed(bytes: bytes.bytes, status: raw & 0x7f == 0 ? raw >> 8 & 0xff : nil)
  }

  private enum Stop { case end, tooLate, tooMuch }

  private static func readToEnd(_ descriptor: Int32, deadline: UInt64) -> (bytes: [UInt8], reason: Stop) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while bytes.count < 1 << 20 {
      let now = Clock.uptime()
      guard now < deadline else { return (bytes, .tooLate) }
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, Int32(min((deadline - now) / 1_000_000 + 1, 1_000))) > 0 else { continue }
      let count = sb_read(descriptor, &buffer, buffer.count)
      if count == Int64(-EINTR) { continue }
      guard count > 0 else { return (bytes, .end) }
      bytes += buffer.prefix(Int(count))
    }
    return (bytes, .tooMuch)
  }
}
