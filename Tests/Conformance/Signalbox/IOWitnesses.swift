// IOWitnesses.swift: what the tests of channels see with: files, pipes, and a listener that keeps what a handler got.
import Glibc
import Testing

/// One call of a handler: whether it was the last, how many bytes (nil: no data), the error.
struct Told: Equatable, Sendable, CustomStringConvertible {
  var done: Bool
  var count: Int?
  var error: Int32

  init(_ done: Bool, _ count: Int?, _ error: Int32 = 0) { (self.done, self.count, self.error) = (done, count, error) }

  var description: String {
    "\(done ? "done" : "more"), \(count.map { "\($0) bytes" } ?? "no data"), error \(error)"
  }
}

/// Keeps what a handler got, and sees to it that its calls come one at a time and end.
final class Listener: Sendable {
  private struct State: Sendable {
    var calls: [Told] = []
    var bytes: [UInt8] = []
    var inside = 0
    var isDone = false
  }
  private let state = Monitor(State())

  var calls: [Told] { state.access { $0.calls } }
  var bytes: [UInt8] { state.access { $0.bytes } }
  var isDone: Bool { state.access { $0.isDone } }

  func hear(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
    state.access { state in
      if state.isDone { report("called after done", at: #_sourceLocation) }
      state.inside += 1
      if state.inside > 1 { report("called while being called", at: #_sourceLocation) }
      state.calls.append(Told(done, data?.count, error))
      data?.enumerateBytes { buffer, _, _ in state.bytes += buffer }
    }
    state.access {
      $0.inside -= 1
      if done { $0.isDone = true }
    }
  }

  /// Waits for the last call; reports when it never comes.
  @discardableResult
  func wait(at location: SourceLocation = #_sourceLocation) -> Listener {
    if !state.wait(seconds: patience, until: { $0.isDone }) { report("never done: \(calls)", at: location) }
    return self
  }

  /// Waits until `count` bytes have come.
  func wait(bytes count: Int, at location: SourceLocation = #_sourceLocation) {
    if !state.wait(seconds: patience, until: { $0.bytes.count >= count }) { report("\(bytes.count) bytes came", at: location) }
  }
}

/// Keeps the errors that cleanup handlers were given.
typealias Cleanups = Recorder<Int32>

/// The bytes of every test: no stretch of them looks like the next.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
  (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

extension DispatchData {
  init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { DispatchData(bytes: $0) } }
}

/// A file that goes with the object.
final class TestFile: Sendable {
  let path: String

  init(_ bytes: [UInt8] = []) {
    var template = Array("/tmp/signalbox-io-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    precondition(number >= 0, "no file for a test")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var written = 0
    while written < bytes.count { written += write(number, Array(bytes[written...]), bytes.count - written) }
    close(number)
  }
  deinit { unlink(path) }

  func open(_ flags: Int32) -> Int32 { Glibc.open(path, flags) }

  var contents: [UInt8] {
    let number = open(O_RDONLY)
    defer { close(number) }
    return readAll(number)
  }
}

/// Everything up to the end.
func readAll(_ number: Int32) -> [UInt8] {
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = read(number, &buffer, buffer.count), count > 0 { all += buffer[..<count] }
  return all
}

/// The two ends of a pipe: what comes out and what goes in.
func makePipe() -> (output: Int32, input: Int32) {
  var ends: [Int32] = [0, 0]
  let status = pipe(&ends)
  precondition(status == 0, "no pipe for a test")
  return (ends[0], ends[1])
}

func put(_ bytes: [UInt8], into number: Int32) { expectEqual(write(number, bytes, bytes.count), bytes.count) }

/// Whether O_NONBLOCK is set.
func isNonblocking(_ number: Int32) -> Bool { fcntl(number, F_GETFL) & O_NONBLOCK != 0 }

extension DispatchIO {
  /// A channel whose end `cleanups` hears of.
  static func make(
    _ type: StreamType, _ number: Int32, _ cleanups: Cleanups = Cleanups(),
    on queue: DispatchQueue = DispatchQueue(label: "cleanup")
  ) -> DispatchIO {
    DispatchIO(type: type, fileDescriptor: number, queue: queue) { cleanups.add($0) }
  }

  func listen(_ length: Int) -> Listener { listen(0, length) }

  func listen(_ offset: Int, _ length: Int, on queue: DispatchQueue = DispatchQueue(label: "read")) -> Listener {
    let listener = Listener()
    read(offset: off_t(offset), length: length, queue: queue) { listener.hear($0, $1, $2) }
    return listener
  }

  func put(_ bytes: [UInt8], at offset: Int = 0, on queue: DispatchQueue = DispatchQueue(label: "write")) -> Listener {
    let listener = Listener()
    write(offset: off_t(offset), data: DispatchData(bytes), queue: queue) { listener.hear($0, $1, $2) }
    return listener
  }
}
