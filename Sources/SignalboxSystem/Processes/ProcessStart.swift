// ProcessStart.swift: starting another program: the one place that does. What is done with it is ChildProcess.swift and Programs.swift.
import CSignalbox
import Glibc

/// A program that is about to be started, with no signal blocked.
struct ProcessStart {
  /// What becomes of descriptors that are neither input, output nor error.
  enum OtherDescriptors { case kept, closed }

  var path: RawString
  /// The command line, with the program's own name.
  var arguments: [RawString]
  /// The environment's entries.
  var environment: [RawString]
  /// What it reads from; nil: nothing is there to read.
  var input: Int32?
  var output: Int32
  var error: Int32
  var others = OtherDescriptors.closed
  /// Whether it leads a process group of its own, which ends with what it starts.
  var leadsGroup = false

  /// Starts it; the kernel's number of the process, whose end the caller waits for.
  ///
  /// - Throws: `SystemError` with any error of `posix_spawn`; nothing is left then.
  func run() throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO)
    if others == .closed { sb_spawn_close_from(&actions, STDERR_FILENO + 1) }
    // A thread that blocks signals, as workers do, would pass that on.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    if leadsGroup { posix_spawnattr_setpgroup(&attributes, 0) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))
    var child: pid_t = 0
    let code = path.withCString { path in
      RawString.withCStrings(arguments) { arguments in
        RawString.withCStrings(environment) { posix_spawn(&child, path, &actions, &attributes, arguments, $0) }
      }
    }
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
    return child
  }
}
