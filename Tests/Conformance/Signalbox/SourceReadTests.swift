// SourceReadTests.swift: sources for bytes to read and room to write: pipes, sockets, files. Where the libraries differ on purpose
// is in Differences/sources.json, and tested with the engine's own tests.
import Glibc
import Testing

/// Two connected descriptors, closed with this.
private final class Ends: Sendable {
  let reading: Int32
  let writing: Int32
  private let isWritingOpen = Monitor(true)

  init(socket isSocket: Bool = false) {
    var ends: [Int32] = [-1, -1]
    let status = isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
    precondition(status == 0, "no pipe for a test")
    (reading, writing) = (ends[0], ends[1])
  }
  deinit {
    closeWriting()
    close(reading)
  }
  func write(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    expectEqual(Glibc.write(writing, bytes, count), count)
  }
  func read(atMost count: Int) -> Int {
    var bytes = [UInt8](repeating: 0, count: count)
    return Glibc.read(reading, &bytes, count)
  }
  func closeWriting() {
    isWritingOpen.access {
      if $0 { close(writing) }
      $0 = false
    }
  }
}

extension Conformance {
  @Suite("Read and write sources") struct SourceRead {
    @Test(
      "A read source says how many bytes wait, calls while there are any, and at the end once more with none",
      arguments: [false, true])
    func bytesAndEnd(socket: Bool) async {
      await isolated {
        let (ends, log) = (Ends(socket: socket), Recorder<UInt>())
        let source = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: DispatchQueue(label: "read"))
        let ended = Gate()
        source.setEventHandler {
          let count = source.data
          if count > 0 { expectEqual(ends.read(atMost: 4), min(4, Int(count))) }
          log.add(count)
        }
        source.setCancelHandler { ended.open() }
        source.activate()
        expectEqual(source.handle, UInt(ends.reading))
        expectEqual(source.mask, 0)
        ends.write(10)
        log.wait(count: 3)
        expectEqual(log.entries, [10, 6, 2])
        ends.write(3)
        log.wait(count: 4)
        ends.closeWriting()
        log.wait(count: 5)
        waitForWhatMustNotCome()
        // The toolchain's sometimes tells the end of a socket twice.
        expectEqual(engineIsOurs ? log.entries : Array(log.entries.prefix(5)), [10, 6, 2, 3, 0])
        source.cancel()
        ended.wait()
      }
    }

    @Test("Nothing is called for an empty pipe, nor while the source is suspended")
    func silence() async {
      await isolated {
        let (ends, log) = (Ends(), Recorder<UInt>())
        let queue = DispatchQueue(label: "read")
        let (source, ended) = (DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: queue), Gate())
        source.setEventHandler {
          log.add(source.data)
          _ = ends.read(atMost: 100)
        }
        source.setCancelHandler { ended.open() }
        source.activate()
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.suspend()
        ends.write(1)
        ends.write(2)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.resume()
        log.wait(count: 1)
        waitForWhatMustNotCome()
        // The toolchain's may have counted before the second write.
        expect(log.entries == [3] || !engineIsOurs, "\(log.entries)")
        source.cancel()
        ended.wait()
      }
    }

    @Test("Several sources on one descriptor are all called, and the others still are when one is cancelled")
    func several() async {
      await isolated {
        let ends = Ends()
        let (counts, ended) = ([Counter(), Counter(), Counter()], DispatchGroup())
        let sources = counts.map { count in
          let source = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: DispatchQueue(label: "read"))
          source.setEventHandler {
            count.add()
            briefPause()
          }
          ended.enter()
          source.setCancelHandler { ended.leave() }
          source.activate()
          return source
        }
        ends.write(1)
        for count in counts { while count.value < 3 { briefPause() } }
        sources[0].cancel()
        let before = counts[1].value
        while counts[1].value < before + 5 || counts[2].value < before { briefPause() }
        for source in sources[1...] { source.cancel() }
        expect(ended.wait(timeout: .now() + .seconds(patience)) == .success)
        let last = counts.map(\.value)
        waitForWhatMustNotCome()
        expectEqual(counts.map(\.value), last)
      }
    }

    @Test("A read and a write source of one socket are each called for their own events")
    func bothDirections() async {
      await isolated {
        let ends = Ends(socket: true)
        let queue = DispatchQueue(label: "both")
        let (reads, writes, ended) = (Counter(), Counter(), DispatchGroup())
        let reader = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: queue)
        let writer = DispatchSource.makeWriteSource(fileDescriptor: ends.reading, queue: queue)
        reader.setEventHandler {
          reads.add(ends.read(atMost: 100))
        }
        writer.setEventHandler {
          writes.add()
          briefPause()
        }
        for source in [reader as any DispatchSourceProtocol, writer] {
          ended.enter()
          source.setCancelHandler { ended.leave() }
          source.activate()
        }
        while writes.value < 3 { briefPause() }
        expectEqual(reads.value, 0)
        ends.write(50)
        while reads.value < 50 { briefPause() }
        reader.cancel()
        writer.cancel()
        expect(ended.wait(timeout: .now() + .seconds(patience)) == .success)
      }
    }

    @Test("A write source of a full pipe is called once somebody reads")
    func fullPipe() async {
      await isolated {
        let (ends, log) = (Ends(), Counter())
        expect(fcntl(ends.writing, F_SETFL, O_NONBLOCK) == 0)
        let page = [UInt8](repeating: 0, count: 4096)
        while write(ends.writing, page, page.count) > 0 {}
        let queue = DispatchQueue(label: "write")
        let (source, ended) = (DispatchSource.makeWriteSource(fileDescriptor: ends.writing, queue: queue), Gate())
        source.setEventHandler {
          if log.value == 0 { expect(source.data > 0) }
          log.add()
          briefPause()
        }
        source.setCancelHandler { ended.open() }
        source.activate()
        waitForWhatMustNotCome()
        expectEqual(log.value, 0)
        _ = ends.read(atMost: 8192)
        while log.value == 0 { briefPause() }
        source.cancel()
        ended.wait()
      }
    }

    @Test("A file is always ready; the data is what lies behind its offset")
    func file() async {
      await isolated {
        let name = "/tmp/signalbox-source-\(getpid())"
        let file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        expect(file >= 0)
        unlink(name)
        expectEqual(write(file, [UInt8](repeating: 7, count: 1_000), 1_000), 1_000)
        lseek(file, 100, SEEK_SET)
        let (log, ended) = (Recorder<UInt>(), Gate())
        let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: DispatchQueue(label: "file"))
        source.setEventHandler {
          log.add(source.data)
          var bytes = [UInt8](repeating: 0, count: 400)
          if read(file, &bytes, 400) == 0 { source.cancel() }
        }
        source.setCancelHandler { ended.open() }
        source.activate()
        ended.wait()
        expectEqual(log.entries, [900, 500, 100, 0])
        close(file)
      }
    }

    @Test("After the cancel handler the descriptor is the program's: its number can be another file's at once")
    func reuse() async {
      await isolated {
        for _ in 0..<200 {
          let ends = Ends()
          let (source, ended) = (DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: nil), Gate())
          let calls = Counter()
          source.setEventHandler { calls.add() }
          source.setCancelHandler { ended.open() }
          source.activate()
          source.cancel()
          ended.wait()
          expectEqual(calls.value, 0)
        }
      }
    }
  }
}
