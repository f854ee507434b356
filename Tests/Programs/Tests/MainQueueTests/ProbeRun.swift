// ProbeRun.swift: runs a probe beside the test bundle as a child process, with a deadline, and keeps what it printed.
@preconcurrency import Glibc

/// A probe that has ended, or was ended at its deadline.
struct ProbeRun {
  /// The exit status; nil when it did not exit by itself.
  let status: Int32?
  /// The signal that ended it; SIGKILL at the deadline.
  let signal: Int32?
  let lines: [String]

  enum Failure: Error {
    case system(String, Int32)
  }

  /// Runs the executable `probe` with arguments. Slower than `seconds`, it is killed, with what it has started.
  init(_ probe: String, _ scenario: String..., seconds: Int = 120) throws {
    let (output, input) = try Self.pipe()
    defer { close(output) }
    let child = try Self.spawn(probe, scenario, output: input)
    close(input)
    let text = Self.read(output, seconds: seconds) { kill(-child, SIGKILL) }
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0 && errno == EINTR {}
    // The low seven bits name the signal that ended a process, the byte above them its exit status.
    status = raw & 0x7f == 0 ? raw >> 8 & 0xff : nil
    signal = raw & 0x7f == 0 ? nil : raw & 0x7f
    lines = text.split(separator: "\n").map(String.init)
  }

  /// Both ends close on exec, so that the child has only its own copies.
  private static func pipe() throws -> (output: Int32, input: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw Failure.system("pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(_ probe: String, _ scenario: [String], output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // A group of its own: what it has started may keep the output open after its end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let path = try folder() + "/" + probe
    var arguments = ([path] + scenario).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, path, &actions, &attributes, &arguments, environ)
    guard status == 0 else { throw Failure.system(path, status) }
    return child
  }

  /// Reads to the end of the child's output; calls `giveUp` once at the deadline.
  private static func read(_ descriptor: Int32, seconds: Int, giveUp: () -> Void) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let start = time(nil)
    var hasGivenUp = false
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, 100) > 0 {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer.prefix(count)
      }
      if !hasGivenUp && time(nil) - start > seconds {
        hasGivenUp = true
        giveUp()
      }
    }
  }

  /// The folder of the test bundle, where the build puts every executable of the package.
  static func folder() throws -> String {
    guard let path = realpath("/proc/self/exe", nil) else { throw Failure.system("/proc/self/exe", errno) }
    defer { free(path) }
    let executable = String(cString: path)
    return String(executable[..<(executable.lastIndex(of: "/") ?? executable.endIndex)])
  }
}
