// ServedProcess.swift: a program that is started to take commands: it has a pipe each way, and descriptors of ours. Programs that run
// by themselves are ChildProcess.swift.
import CSignalbox
import Glibc

/// A started program that reads bytes from one pipe and writes bytes to another. For one thread at a time.
///
/// Signals of the terminal do not reach it: it is in a process group of its own. Whoever drops it ends it.
public final class ServedProcess {
  /// The kernel's number of the process.
  public let id: Int32
  /// Readable when it has answered, or is gone.
  public let answers: Int32
  private let commands: Int32
  private var hasEnded = false

  /// The descriptors that the program finds: what it reads commands from, what it answers on, and the memory that was shared.
  public static let inherited: (commands: Int32, answers: Int32, memory: Int32) = (3, 4, 5)

  /// Starts the program: nothing on its standard input, both outputs in `output`.
  public init(
    _ program: RawString, arguments: [RawString], environment: [RawString], output: Int32, memory: Int32
  ) throws(SystemError) {
    let down = try Self.pipe()
    let up: (reading: Int32, writing: Int32)
    do { up = try Self.pipe() } catch {
      close(down.reading)
      close(down.writing)
      throw error
    }
    defer {
      close(down.reading)
      close(up.writing)
    }
    do {
      id = try Self.spawn(program, arguments, environment, [0, output, output, down.reading, up.writing, memory])
    } catch {
      close(down.writing)
      close(up.reading)
      throw error
    }
    (commands, answers) = (down.writing, up.reading)
  }

  deinit {
    end()
    close(commands)
    close(answers)
  }

  /// Sends one byte. False if the program is gone.
  public func send() -> Bool {
    var byte: UInt8 = 1
    return sb_write_quiet(commands, &byte, 1) == 1
  }

  /// Waits for an answer, or for the program's end, for so long at most.
  public func hasAnswer(milliseconds: Int32) -> Bool {
    var ends = [answers, -1]
    let deadline = Clock.uptime() + UInt64(milliseconds) * 1_000_000
    while true {
      let now = Clock.uptime()
      let ready = sb_poll_readable(&ends, deadline > now ? Int32((deadline - now) / 1_000_000) : 0)
      if ready != Int32(-EINTR) { return ready > 0 }
    }
  }

  /// Takes one byte of an answer, waiting for it. False if the program is gone.
  public func receive() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = sb_read(answers, &byte, 1)
      if count == Int64(-EINTR) { continue }
      return count == 1
    }
  }

  /// Ends the program at once, with all that it has started.
  public func end() {
    guard !hasEnded else { return }
    hasEnded = true
    // The group as well: a run under way is a child of the program's.
    _ = kill(-id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }

  private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try checked("pipe2", sb_pipe(&ends))
    return (ends[0], ends[1])
  }

  /// `descriptors[n]` becomes the program's descriptor n; 0 for the first is none.
  private static func spawn(
    _ program: RawString, _ arguments: [RawString], _ environment: [RawString], _ descriptors: [Int32]
  ) throws(SystemError) -> Int32 {
    // First out of the way of the numbers that they are to have.
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for descriptor in descriptors.dropFirst() {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 64)
      guard copy >= 0 else { throw SystemError(call: "fcntl", code: errno) }
      copies.append(copy)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (index, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, Int32(index + 1)) }
    sb_spawn_close_from(&actions, Int32(descriptors.count))
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETPGROUP))
    var child: pid_t = 0
    let code = program.withCString { path in
      RawString.withCStrings(arguments) { arguments in
        RawString.withCStrings(environment) { environment in
          posix_spawn(&child, path, &actions, &attributes, arguments, environment)
        }
      }
    }
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
    return child
  }
}
