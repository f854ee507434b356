// DescriptorSourceTests.swift: what Signalbox's read and write sources do beyond the toolchain's: exact room, ends,
// descriptors that are closed too early. Where both libraries agree is in the conformance tests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// A pipe, or a pair of sockets: closed by the test.
private func ends(socket isSocket: Bool = false) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  let status = isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
  precondition(status == 0, "no pipe for a test")
  return (ends[0], ends[1])
}

/// What a source has told.
private final class Told: Sendable {
  private let lock = DispatchSemaphore(value: 1)
  // SAFETY: touched only with the semaphore held.
  nonisolated(unsafe) private var list: [UInt] = []
  var all: [UInt] {
    lock.wait()
    defer { lock.signal() }
    return list
  }
  func add(_ data: UInt) {
    lock.wait()
    list.append(data)
    lock.signal()
  }
}

private func end(_ source: any DispatchSourceProtocol) {
  let ended = DispatchSemaphore(value: 0)
  source.setCancelHandler { ended.signal() }
  source.cancel()
  #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
}

@Suite("Read and write sources") struct DescriptorSourceTests {
  @Test("The data of a write source is the room that there is", arguments: [false, true])
  func room(socket: Bool) {
    let (reading, writing) = ends(socket: socket)
    defer {
      close(reading)
      close(writing)
    }
    func room() -> UInt {
      let (told, done) = (Told(), DispatchSemaphore(value: 0))
      let source = DispatchSource.makeWriteSource(fileDescriptor: writing)
      source.setEventHandler {
        told.add(source.data)
        source.cancel()
      }
      source.setCancelHandler { done.signal() }
      source.activate()
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      return told.all.first ?? 0
    }
    let before = room()
    #expect(before >= 4096)
    #expect(write(writing, [UInt8](repeating: 0, count: 5_000), 5_000) == 5_000)
    // A socket's bytes take more room than they are.
    #expect(socket ? room() <= before - 5_000 : room() == before - 5_000)
  }

  @Test("A write source whose reader is gone is called once, with no room")
  func readerGone() {
    let (reading, writing) = ends()
    let told = Told()
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let page = [UInt8](repeating: 0, count: 4096)
    while write(writing, page, page.count) > 0 {}
    let source = DispatchSource.makeWriteSource(fileDescriptor: writing)
    source.setEventHandler { told.add(source.data) }
    source.activate()
    close(reading)
    #expect(eventually { told.all == [0] })
    waitForWhatMustNotCome()
    #expect(told.all == [0])
    end(source)
    close(writing)
  }

  @Test("Bytes left by a peer that is gone are reported as long as they are there, the end once")
  func bytesBeforeTheEnd() {
    let (reading, writing) = ends(socket: true)
    let told = Told()
    let source = DispatchSource.makeReadSource(fileDescriptor: reading)
    source.setEventHandler {
      told.add(source.data)
      var byte: UInt8 = 0
      if source.data > 0 && told.all.count > 2 { _ = read(reading, &byte, 1) }
    }
    #expect(write(writing, "abc", 3) == 3)
    close(writing)
    source.activate()
    #expect(eventually { told.all.last == 0 })
    waitForWhatMustNotCome()
    #expect(told.all == [3, 3, 3, 2, 1, 0])
    end(source)
    close(reading)
  }

  @Test("Where the system does not count bytes the data is 1, as for a listening socket; /dev/null is at its end")
  func uncounted() throws {
    let (event, folder, null) = (try EventDescriptor(), open("/", O_RDONLY), open("/dev/null", O_RDWR))
    event.signal()
    for (descriptor, expected) in [(event.descriptor, UInt(1)), (folder, 1), (null, 0)] {
      let told = Told()
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
      source.setEventHandler {
        told.add(source.data)
        if told.all.count == 3 { source.cancel() }
      }
      source.activate()
      #expect(eventually { told.all.count == (expected == 0 ? 1 : 3) })
      #expect(Set(told.all) == [expected])
      source.cancel()
    }
    close(folder)
    close(null)
  }

  @Test("A source without a handler pauses, and continues when it gets one")
  func withoutHandler() {
    let (reading, writing) = ends()
    let told = Told()
    let source = DispatchSource.makeReadSource(fileDescriptor: reading)
    #expect(write(writing, "abc", 3) == 3)
    source.activate()
    #expect(eventually { source.data == 3 })
    waitForWhatMustNotCome()
    source.setEventHandler {
      told.add(source.data)
      source.cancel()
    }
    #expect(eventually { told.all == [3] })
    #expect(eventually { source.isCancelled })
    close(reading)
    close(writing)
  }

  @Test("An offset behind the end of a file leaves nothing to read")
  func behindTheEnd() {
    let file = open("/tmp", O_RDWR | Int32(0o20000000 | 0o200000), 0o600)  // O_TMPFILE
    #expect(file >= 0)
    lseek(file, 100_000, SEEK_SET)
    let told = Told()
    let source = DispatchSource.makeReadSource(fileDescriptor: file)
    source.setEventHandler {
      told.add(source.data)
      source.cancel()
    }
    source.activate()
    #expect(eventually { told.all == [0] })
    close(file)
  }

  @Test(
    "A descriptor closed before the cancel is reported once, and the old source gets no event of another file with its number")
  func closedTooEarly() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      for round in 0..<3 {
        let (reading, writing) = ends()
        let told = Told()
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: DispatchQueue(label: "early"))
        source.setEventHandler {
          let count = source.data
          var byte: UInt8 = 0
          if count > 0 { _ = read(reading, &byte, 1) }
          told.add(count)
        }
        source.activate()
        _ = write(writing, "x", 1)
        precondition(eventually { told.all == [1] })
        // The number is another pipe's now, and that one has bytes.
        let (stranger, other) = ends()
        _ = write(other, "many bytes", 10)
        dup2(stranger, reading)
        if round == 0 { close(reading) }
        let second = DispatchSource.makeReadSource(fileDescriptor: round == 0 ? stranger : reading)
        let seen = Told()
        second.setEventHandler {
          seen.add(second.data)
          second.cancel()
        }
        second.activate()
        precondition(eventually { seen.all == [10] }, "\(seen.all)")
        precondition(told.all == [1] || told.all == [1, 0], "\(told.all)")
        let ended = DispatchSemaphore(value: 0)
        source.setCancelHandler { ended.signal() }
        source.cancel()
        ended.wait()
        for descriptor in [writing, stranger, other] { close(descriptor) }
        if round > 0 { close(reading) }
      }
      exit(0)
    }
    let text = errorText(result)
    #expect(text.components(separatedBy: "of a read source on queue \"early\" was closed").count == 2, "\(text)")
    expectReport(result, saying: "it has to stay open until the cancel handler runs")
  }

  @Test("A descriptor owned by the handler is freed only when its source, released without a cancel, no longer uses it")
  func ownedByHandler() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      final class Owner: Sendable {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
      }
      killOnHang()
      for _ in 0..<100 {
        let (low, writing) = ends()
        // A number that no other thread of the process gets by chance once it is free: the toolchain's library, which the test program
        // has as well, makes its own descriptors when it first needs them.
        let reading = fcntl(low, F_DUPFD, 500)
        close(low)
        do {
          let source = DispatchSource.makeReadSource(fileDescriptor: reading)
          source.setEventHandler { [owner = Owner(reading)] in withExtendedLifetime(owner) {} }
          source.activate()
        }
        precondition(eventually { fcntl(reading, F_GETFD) == -1 })
        close(writing)
      }
      exit(0)
    }
    #expect(!errorText(result).contains("signalbox"), "\(errorText(result))")
  }

  @Test("A source of no open descriptor is called once with no bytes, reported, and cancelled like any other")
  func notOpen() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      for descriptor: Int32 in [900, .max] {
        let told = Told()
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "bad"))
        source.setEventHandler { told.add(source.data) }
        source.activate()
        precondition(eventually { told.all == [0] })
        let ended = DispatchSemaphore(value: 0)
        source.setCancelHandler { ended.signal() }
        source.cancel()
        ended.wait()
      }
      exit(0)
    }
    expectReport(result, saying: "descriptor 900 of a read source on queue \"bad\" is not open")
  }

  @Test("Without a free descriptor a source reports it, and works as soon as there is one")
  func noDescriptors() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      let (reading, writing) = ends()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE
      let most = limit.rlim_cur
      limit.rlim_cur = rlim_t(max(reading, writing) + 1)
      setrlimit(__rlimit_resource_t(7), &limit)
      let told = Told()
      let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: DispatchQueue(label: "poor"))
      source.setEventHandler {
        told.add(source.data)
        source.cancel()
      }
      source.activate()
      _ = write(writing, "abc", 3)
      waitForWhatMustNotCome(milliseconds: 50)
      precondition(told.all == [])
      limit.rlim_cur = most
      setrlimit(__rlimit_resource_t(7), &limit)
      precondition(eventually { told.all == [3] })
      exit(0)
    }
    let text = errorText(result)
    expectReport(result, saying: "a read source on queue \"poor\" cannot monitor descriptor")
    #expect(text.components(separatedBy: "it tries again").count == 2, "\(text)")
  }

  @Test("A negative descriptor stops the program")
  func negative() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      _ = DispatchSource.makeWriteSource(fileDescriptor: -1)
    }
    expectStop(result, saying: "makeWriteSource(fileDescriptor:queue:) is given -1, which is no descriptor")
  }

  @Test(
    "Cancelled, suspended and fed by several threads, every source ends, reads every byte and leaves no descriptor")
  func storm() {
    let before = openDescriptors()
    let (total, ended) = (Count(), DispatchGroup())
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<60 {
        let (reading, writing) = ends(socket: round % 2 == 0)
        let queue = round % 3 == 0 ? DispatchQueue.global() : DispatchQueue(label: "storm")
        let sources = (0..<3).map { _ in DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue) }
        let open = Count(3)
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        for source in sources {
          ended.enter()
          source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = read(reading, &bytes, 16)
            if count > 0 { total.add(UInt64(count)) } else if count == 0 { source.cancel() }
          }
          source.setCancelHandler {
            if open.add(.max) == 0 { close(reading) }
            ended.leave()
          }
          source.activate()
          source.suspend()
          DispatchQueue.global().async { source.resume() }
        }
        for _ in 0..<20 { _ = write(writing, [UInt8](repeating: 0, count: 10), 10) }
        if round % 4 == 3 { DispatchQueue.global().async { sources[thread % 3].cancel() } }
        close(writing)
      }
    }
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(total.value == 4 * 60 * 200)
    #expect(eventually { openDescriptors() <= before + 8 })  // the event thread's own, and what other tests have open
  }

  private func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
