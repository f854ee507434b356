// KindSupport.swift: what the tests of process, file, memory and port sources share: a log of events, an end to waiting,
// children.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// The tests of what the kinds share with one another: one at a time.
@Suite("Process, file, memory pressure and port sources", .serialized) enum Kinds {}

/// What handlers saw, in order.
final class EventLog<Event: Sendable>: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by the lock.
  private let lock = UnfairLock()
  private var events: [Event] = []
  func add(_ event: Event) { lock.withLock { events.append(event) } }
  var all: [Event] { lock.withLock { events } }
  /// Hands out what was seen and forgets it.
  func take() -> [Event] {
    lock.withLock {
      defer { events = [] }
      return events
    }
  }
}

extension EventLog where Event: OptionSet & Equatable {
  /// All that was seen, taken together.
  var union: Event { all.reduce(into: []) { $0.formUnion($1) } }
}

/// Descriptors that this process has open.
func openDescriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = -1  // the folder's own
  while let entry = readdir(folder) { count += entry.pointee.d_name.0 == CChar(46) ? 0 : 1 }
  return count
}

/// Waits until everything that the event thread has begun is done.
func passEventThread() throws {
  let event = try EventDescriptor()
  let passed = Count()
  let watch = try EventThread.shared.watch(event.descriptor, for: [.readable, .oneShot]) { _ in passed.add() }
  event.signal()
  #expect(eventually { passed.value == 1 })
  let ended = Count()
  watch.cancel { ended.add() }
  #expect(eventually { ended.value == 1 })
}

extension DispatchSourceProtocol {
  /// Waits for what is in the source's queue now.
  func passQueue() { (self as! DispatchSource).core.sync {} }

  /// Cancels, and waits for the cancel handler.
  func cancelAndWait() {
    let done = Count()
    setCancelHandler { done.add() }
    cancel()
    #expect(eventually { done.value == 1 })
  }
}

/// A folder that goes with everything in it.
final class TestFolder: Sendable {
  let path: String
  init(_ place: String = "/tmp") {
    var template = Array("\(place)/signalbox-kinds-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no folder for a test")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }

  func of(_ name: String) -> String { "\(path)/\(name)" }
  func file(_ name: String, _ flags: Int32 = O_RDWR) -> Int32 { open(of(name), flags | O_CREAT | O_CLOEXEC, 0o644) }
  func folder(_ name: String) -> Int32 {
    mkdir(of(name), 0o755)
    return open(of(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }
}

/// A file system object source with a log, ended with the object.
final class ObservedFile {
  typealias Event = DispatchSource.FileSystemEvent
  let source: any DispatchSourceFileSystemObject
  let log = EventLog<Event>()

  init(_ descriptor: Int32, _ mask: Event = .all) {
    source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: mask, queue: DispatchQueue(label: "files"))
    source.setEventHandler { [log, source] in log.add(source.data) }
    source.activate()
  }
  deinit { source.cancel() }

  /// What was reported since the last call: all of it, because nothing is under way afterwards.
  func events() throws -> Event {
    FileTable.shared.testsOnly_collect()
    try passEventThread()
    source.passQueue()
    return log.take().reduce(into: []) { $0.formUnion($1) }
  }
}

/// A child that runs a program and does what the test lets it.
final class Child: @unchecked Sendable {
  // SAFETY of @unchecked: used by one test at a time.
  let id: Int32
  private var end: Int32

  /// A shell that obeys what it is sent, line by line.
  init(_ program: [String] = ["/bin/sh"]) {
    var ends: [Int32] = [0, 0]
    // Unlike a pipe's, its ends are never inherited by a child that other code starts.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no connection for a test")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    var words: [UnsafeMutablePointer<CChar>?] = program.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    precondition(posix_spawn(&id, program[0], &actions, nil, &words, environ) == 0, "no child for a test")
    close(ends[0])
    self.id = id
    end = ends[1]
  }
  deinit { finish() }

  func obey(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    precondition(write(end, bytes, bytes.count) == bytes.count)
  }

  /// Lets it come to its end.
  func finish() {
    if end >= 0 { close(end) }
    end = -1
  }

  /// Takes its status: the number is then free for others.
  @discardableResult
  func reap() -> Int32 {
    finish()
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  /// Waits until it has ended, and leaves its status.
  func awaitEnd() {
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
  }
}
