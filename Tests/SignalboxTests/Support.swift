// Support.swift: what these tests share: threads that are joined, waiting with a deadline that fails loudly, counting, and what
// the kernel shows of this process.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// Kills this process after a while, so that a hang in a child process becomes a failure.
func killOnHang() { alarm(UInt32(2 * patience)) }

/// Runs `body` on this many POSIX threads, each with its number, and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Start: Sendable {
    let number: Int
    let body: @Sendable (Int) -> Void
    init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.number = number
      self.body = body
    }
  }
  let handles = (0..<count).map { number in
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { context in
        let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        start.body(start.number)
        return nil
      }, Unmanaged.passRetained(Start(number, body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
    return handle
  }
  for handle in handles { pthread_join(handle, nil) }
}

/// A number that threads share.
final class Count: Sendable {
  private let number = Atomic64(0)
  var value: Int { Int(number.loadSeqCst()) }
  /// Adds one and returns the sum.
  @discardableResult func add() -> Int { Int(number.addSeqCst(1)) + 1 }
  func subtract() { _ = number.subtractSeqCst(1) }
}

/// An object that says when it goes.
final class Witness: Sendable {
  private let last: @Sendable () -> Void
  init(_ last: @escaping @Sendable () -> Void) { self.last = last }
  deinit { last() }
}

/// How many threads this process has.
func threadCount() -> Int {
  guard let file = fopen("/proc/self/status", "re") else { return 0 }
  defer { fclose(file) }
  var buffer = [CChar](repeating: 0, count: 512)
  var count: Int32 = 0
  while fgets(&buffer, Int32(buffer.count), file) != nil {
    if withUnsafeMutablePointer(to: &count, { read in withVaList([read]) { vsscanf(buffer, "Threads: %d", $0) } }) == 1 {
      break
    }
  }
  return Int(count)
}
