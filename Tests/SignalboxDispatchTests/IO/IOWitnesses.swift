// IOWitnesses.swift: files, pipes, and what handlers of channels got, for the tests of this folder.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport

@testable import SignalboxDispatch

struct IOCall: Equatable, Sendable {
  var done: Bool
  var count: Int?
  var error: Int32
  init(_ done: Bool, _ count: Int?, _ error: Int32 = 0) { (self.done, self.count, self.error) = (done, count, error) }
}

/// What the handler of an operation got.
final class IOCalls: Sendable {
  private struct State {
    var calls: [IOCall] = []
    var bytes: [UInt8] = []
    var data = DispatchData.empty
    var count = 0
  }
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var state = State()
  private let keepsData: Bool
  private let keepsBytes: Bool

  init(keepsData: Bool = false, keepsBytes: Bool = true) { (self.keepsData, self.keepsBytes) = (keepsData, keepsBytes) }

  var calls: [IOCall] { lock.withLock { state.calls } }
  var bytes: [UInt8] { lock.withLock { state.bytes } }
  var data: DispatchData { lock.withLock { state.data } }
  var count: Int { lock.withLock { state.count } }
  var isDone: Bool { calls.last?.done ?? false }
  func dropData() { lock.withLock { state.data = .empty } }

  func hear(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
    lock.withLock {
      state.calls.append(IOCall(done, data?.count, error))
      state.count += data?.count ?? 0
      if keepsBytes { data?.enumerateBytes { bytes, _, _ in state.bytes += bytes } }
      if keepsData { state.data.append(data ?? .empty) }
    }
  }

  /// All calls, once the last has come.
  func wait() -> [IOCall] {
    _ = eventually { isDone }
    return calls
  }

  static func read(
    _ channel: DispatchIO, _ offset: Int, _ length: Int, on queue: DispatchQueue = DispatchQueue(label: "read"),
    keepsData: Bool = false, keepsBytes: Bool = true
  ) -> IOCalls {
    let calls = IOCalls(keepsData: keepsData, keepsBytes: keepsBytes)
    channel.read(offset: offset, length: length, queue: queue) { calls.hear($0, $1, $2) }
    return calls
  }

  static func write(_ channel: DispatchIO, _ bytes: [UInt8]) -> IOCalls {
    let calls = IOCalls(keepsBytes: false)
    channel.write(offset: 0, data: data(bytes), queue: DispatchQueue(label: "write")) { calls.hear($0, $1, $2) }
    return calls
  }

  static func data(_ bytes: [UInt8]) -> DispatchData { bytes.withUnsafeBytes { DispatchData(bytes: $0) } }
}

/// Makes channels, and keeps what their cleanup handlers got.
final class IOEnds: Sendable {
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var errors: [Int32] = []

  private func add(_ error: Int32) { lock.withLock { errors.append(error) } }
  var seen: [Int32] { lock.withLock { errors } }

  func channel(_ type: DispatchIO.StreamType, _ number: Int32) -> DispatchIO {
    DispatchIO(type: type, fileDescriptor: number, queue: DispatchQueue(label: "cleanup")) { self.add($0) }
  }

  func channel(_ type: DispatchIO.StreamType, path: String, _ flags: Int32) -> DispatchIO {
    DispatchIO(type: type, path: path, oflag: flags, mode: 0o600, queue: DispatchQueue(label: "cleanup")) { self.add($0) }!
  }

  func wait(count: Int = 1) -> [Int32] {
    _ = eventually { seen.count >= count }
    return seen
  }
}

/// Two ends of a TCP connection of this process with itself.
func tcpConnection() -> (Int32, Int32) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let ours = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  let isConnected = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
        && connect(ours, $0, size) == 0
    }
  }
  precondition(isConnected, "no connection for a test")
  let theirs = accept(listener, nil, nil)
  close(listener)
  return (ours, theirs)
}

/// A pipe that goes with the object.
final class IOPipe: @unchecked Sendable {
  // SAFETY: the ends change on the test's own thread.
  private(set) var output: Int32
  private(set) var input: Int32

  init() {
    var ends: [Int32] = [0, 0]
    let status = pipe(&ends)
    precondition(status == 0, "no pipe for a test")
    (output, input) = (ends[0], ends[1])
  }
  deinit {
    if output >= 0 { close(output) }
    if input >= 0 { close(input) }
  }

  func closeOutput() {
    close(output)
    output = -1
  }
  func closeInput() {
    close(input)
    input = -1
  }
  func put(_ bytes: [UInt8]) { _ = write(input, bytes, bytes.count) }
  /// Bytes that wait in it.
  var count: Int {
    var count: Int32 = 0
    return ioctl(output, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
  }
  var isNonblocking: Bool { fcntl(output, F_GETFL) & O_NONBLOCK != 0 }
}

/// A file that goes with the object.
final class IOFile: Sendable {
  let path: String

  /// The bytes of files that are given by their size.
  static func pattern(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  convenience init(count: Int) {
    self.init()
    let number = open(O_WRONLY)
    for start in stride(from: 0, to: count, by: 1 << 20) {
      // Every megabyte has the same bytes: they are made once.
      _ = write(number, IOFile.block, min(1 << 20, count - start))
    }
    close(number)
  }
  private static let block = pattern(0..<1 << 20)

  init(_ bytes: [UInt8] = []) {
    var template = Array("/tmp/signalbox-io-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    precondition(number >= 0, "no file for a test")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = write(number, bytes, bytes.count)
    close(number)
  }
  deinit { unlink(path) }

  func open(_ flags: Int32) -> Int32 { Glibc.open(path, flags) }

  /// Opens it under a number that is free.
  func openAs(_ number: Int32) -> Int32 {
    let opened = open(O_RDONLY)
    if opened == number { return opened }
    dup2(opened, number)
    close(opened)
    return number
  }

  func isSame(as other: IOFile) -> Bool {
    let (mine, theirs) = (open(O_RDONLY), other.open(O_RDONLY))
    defer {
      close(mine)
      close(theirs)
    }
    var a = [UInt8](repeating: 0, count: 1 << 20), b = a
    while true {
      let (first, second) = (read(mine, &a, a.count), read(theirs, &b, b.count))
      if first != second || memcmp(a, b, max(0, first)) != 0 { return false }
      if first <= 0 { return true }
    }
  }
}

/// What the kernel says of this process's memory.
enum IOMemory {
  private static func status(_ name: String) -> Int {
    let line = (Kernel.contents("/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix(name) }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 } ?? 0
  }
  static var residentBytes: Int { status("VmRSS") }
  static var mostResidentBytes: Int { status("VmHWM") }
}
