// Faults.swift: what the tests of this folder share: the environment fails, and the library survives or says so.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

/// The tests of what the environment does to a program: one at a time.
@Suite("The environment fails", .serialized) enum Faults {}

enum CallNumber {
  #if arch(x86_64)
  static let epollControl: UInt32 = 233, epollWait2: UInt32 = 441, addNotice: UInt32 = 254
  static let makeThread: [UInt32] = [56, 435]
  #else
  static let epollControl: UInt32 = 21, epollWait2: UInt32 = 441, addNotice: UInt32 = 27
  static let makeThread: [UInt32] = [220, 435]
  #endif
}

/// Lets the process open this many more descriptors; nil takes the limit back.
func allowDescriptors(_ more: Int?) {
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  getrlimit(resource, &limit)
  limit.rlim_cur = more.map { rlim_t(firstFree() + $0) } ?? limit.rlim_max
  setrlimit(resource, &limit)
}

/// The number that the next descriptor gets; what lies above is free as well in a fresh process.
private func firstFree() -> Int {
  let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
  defer { close(number) }
  return Int(number)
}

/// A thread of the test's own, that takes bodies and runs them: made before calls are refused.
final class Helper: @unchecked Sendable {
  // SAFETY of @unchecked: the semaphores order everything.
  private let (asked, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  private var body: @Sendable () -> Void = {}

  init() {
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { context in
        let helper = Unmanaged<Helper>.fromOpaque(context!).takeRetainedValue()
        while true {
          helper.asked.wait()
          helper.body()
          helper.done.signal()
        }
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(status == 0, "no thread for a test")
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    asked.signal()
    done.wait()
  }
}

/// What a command of the shell prints, while its standard output is a pipe of this process.
func shellWords(_ text: String) -> [String] { ["/bin/sh", "-c", text] }

/// All that comes until the other end is closed.
func contents(of descriptor: Int32) -> String {
  var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
  while case let count = read(descriptor, &buffer, buffer.count), count != 0 {
    if count > 0 { text += buffer[..<count] } else if errno != EINTR { break }
  }
  return String(decoding: text, as: UTF8.self)
}

/// Starts a program with its standard output in `output`.
func startProgram(_ program: [String], output: Int32) -> pid_t {
  var (child, actions): (pid_t, posix_spawn_file_actions_t) = (0, posix_spawn_file_actions_t())
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, output, 1)
  let words = arguments(program)
  precondition(posix_spawn(&child, words[0]!, &actions, nil, words, environ) == 0, "no program for a test")
  posix_spawn_file_actions_destroy(&actions)
  return child
}
