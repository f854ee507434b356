// Processes.swift: forking and spawning for tests, and what became of the child.
import Glibc

/// How a child process ended.
enum Ending: Equatable {
  case exited(Int32)
  case killed(Int32)

  /// Waits for the child.
  static func of(_ child: pid_t) -> Ending {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return .exited(-1) } }
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
  }
}

/// Runs `body` in a fork of this process and tells how it ended; a body that returns ends it with status 0.
func forked(_ body: () -> Void) -> Ending {
  let child = fork()
  precondition(child >= 0, "no process for a test")
  guard child == 0 else { return .of(child) }
  // The test's own thread may belong to a pool that blocks signals: a fork that hangs must still be killed.
  var mask = sigset_t()
  sigaddset(&mask, SIGALRM)
  pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  alarm(500)
  body()
  _exit(0)
}

/// Runs `body` on the main thread of a fork, whose only thread is its main one. The library must not have been used before.
///
/// The fork is made by a fresh thread: Swift's runtime keeps the thread's number once it has run a contended lazy initialiser, and
/// waits forever for the wrong thread if it finds that number in a fork.
func forkedMain(_ body: @escaping @Sendable () -> Void) -> Ending {
  final class Fork: @unchecked Sendable {
    // SAFETY: written by the one thread that is joined before it is read.
    let body: @Sendable () -> Void
    var ending: Ending?
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let fork = Fork(body)
  var handle = pthread_t()
  let status = pthread_create(
    &handle, nil,
    { context in
      let fork = Unmanaged<Fork>.fromOpaque(context!).takeUnretainedValue()
      fork.ending = forked(fork.body)
      return nil
    }, Unmanaged.passUnretained(fork).toOpaque())
  precondition(status == 0, "no thread for a test: error \(status)")
  pthread_join(handle, nil)
  return withExtendedLifetime(fork) { $0.ending! }
}

/// As `forkedMain`, and then ends this process as the fork ended.
func asMainThreadOfAFork(_ body: @escaping @Sendable () -> Void) -> Never {
  alarm(500)
  switch forkedMain(body) {
  case .exited(let status): exit(status)
  case .killed(let number):
    signal(number, SIG_DFL)
    var mask = sigset_t()
    sigaddset(&mask, number)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
    _exit(99)
  }
}

/// C strings for exec and posix_spawn; never freed, the tests' processes end soon.
func arguments(_ strings: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
  let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
  for (index, string) in strings.enumerated() { (words + index).initialize(to: strdup(string)) }
  (words + strings.count).initialize(to: nil)
  return words
}

/// Runs a program by posix_spawn, with the calling thread's signal mask.
func spawned(_ program: [String]) -> Ending {
  var child: pid_t = 0
  let words = arguments(program)
  guard posix_spawn(&child, words[0]!, nil, nil, words, environ) == 0 else { return .exited(-2) }
  return .of(child)
}
