// ProcessNewsTests.swift: processes by descriptor, and the kernel's news of forks and execs: the bytes, then the machine.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Process descriptors and the kernel's process events") struct ProcessNewsTests {
  /// An event as the kernel lays it out: two headers, the kind, a processor, a time, then the numbers.
  static func event(_ kind: UInt32, _ numbers: [Int32], index: UInt32 = 1) -> [UInt8] {
    var words: [UInt32] = [76, 3, 0, 0, index, 1, 0, 0, 40, kind, 0, 0, 0] + numbers.map { UInt32(bitPattern: $0) }
    words += [UInt32](repeating: 0, count: max(0, 6 - numbers.count))
    return words.flatMap { withUnsafeBytes(of: $0) { Array($0) } }
  }

  static func notice(_ bytes: [UInt8]) -> ProcessNotice? { bytes.withUnsafeBytes { ProcessMessage.notice($0) } }

  @Test("News of a fork name the process that forked; a new thread is no fork")
  func forks() {
    #expect(Self.notice(Self.event(1, [10, 9, 20, 20])) == .forked(parent: 9, child: 20))
    #expect(Self.notice(Self.event(1, [10, 9, 21, 9])) == nil)
  }

  @Test("News of execs and ends name the process, whichever thread it was")
  func others() {
    #expect(Self.notice(Self.event(2, [31, 30])) == .executed(30))
    #expect(Self.notice(Self.event(0x8000_0000, [41, 40, 0, 17])) == .ended(40))
    #expect(Self.notice(Self.event(4, [1, 1])) == nil, "a change of user")
  }

  @Test("A message that is cut short, or of another service, is no news")
  func foreign() {
    #expect(Self.notice(Self.event(2, [31, 30], index: 7)) == nil)
    #expect(Self.notice(Array(Self.event(2, [31, 30]).prefix(60))) == nil)
    #expect(Self.notice([]) == nil)
  }

  @Test("The kernel's answer to a request carries its code")
  func answers() {
    let refused = Self.event(0, [1])
    #expect(refused.withUnsafeBytes { ProcessMessage.answer($0) } == 1)
    #expect(Self.event(1, [1, 1, 2, 2]).withUnsafeBytes { ProcessMessage.answer($0) } == nil)
  }

  @Test("A request is one message of forty bytes")
  func request() {
    let bytes = ProcessMessage.request(1)
    #expect(bytes.count == 40)
    #expect(bytes.prefix(4) == [40, 0, 0, 0])
    #expect(bytes.suffix(4) == [1, 0, 0, 0])
  }

  /// Ends as soon as `ends.1` is closed.
  static func childThatWaits() -> (id: Int32, end: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/cat"), nil]
    var id: pid_t = 0
    precondition(posix_spawn(&id, "/bin/cat", &actions, nil, &words, environ) == 0)
    free(words[0])
    close(ends[0])
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    return (id, ends[1])
  }

  @Test("A process is held by its descriptor while it runs, when it has ended, and when its status was taken")
  func life() throws {
    let (id, end) = Self.childThatWaits()
    let process = try #require(try ProcessDescriptor.open(id))
    #expect(!process.hasEnded && !process.awaitEnd(milliseconds: 1))
    close(end)
    #expect(process.awaitEnd(milliseconds: 60_000) && process.hasEnded)
    #expect(try ProcessDescriptor.open(id)?.hasEnded == true, "its status waits")
    var status: Int32 = 0
    #expect(waitpid(id, &status, 0) == id, "nobody has taken its status")
    #expect(process.hasEnded)
    #expect(try ProcessDescriptor.open(id) == nil)
  }

  @Test("There is no process of a number that none can have, or of a thread's", arguments: [0, -1, Int32.min])
  func nobody(id: Int32) throws { #expect(try ProcessDescriptor.open(id) == nil) }

  @Test("A thread's number is not a process")
  func thread() throws {
    let number = SharedNumber()
    let gate = SharedWord(0)
    let thread = TestThread {
      number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while gate.value.loadAcquire() == 0 { _ = gate.park(expected: 0) }
    }
    #expect(eventually { number.value.loadAcquire() != 0 })
    #expect(try ProcessDescriptor.open(Int32(number.value.loadAcquire())) == nil)
    gate.value.storeRelease(1)
    _ = gate.wake()
    thread.join()
  }

  @Test("The machine reports forks, execs and ends, or says why it does not")
  func subscription() throws {
    let connector: ProcessConnector
    do { connector = try ProcessConnector() } catch {
      #expect([.needsNetworkAdministration, .insideNamespace].contains(error))
      return
    }
    let (id, end) = Self.childThatWaits()
    var seen: [ProcessNotice] = []
    let own = getpid()
    func look() -> Bool {
      connector.read {
        if [.forked(parent: own, child: id), .executed(id), .ended(id), .lost].contains($0) { seen.append($0) }
      }
      return seen.contains(.lost) || seen.contains(.ended(id))
    }
    #expect(
      eventually {
        _ = look(); return seen.contains(.executed(id)) || seen.contains(.lost)
      })
    close(end)
    #expect(eventually(look))
    var status: Int32 = 0
    waitpid(id, &status, 0)
    if !seen.contains(.lost) { #expect(seen == [.forked(parent: own, child: id), .executed(id), .ended(id)]) }
  }
}
