// TransferTests.swift: reading and writing descriptors of others: what each result means, signals, pieces, flags.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Reads and writes of descriptors") struct TransferTests {
  private static func makePipe() -> (output: Int32, input: Int32) {
    var ends: [Int32] = [0, 0]
    let status = pipe(&ends)
    precondition(status == 0, "no pipe for a test")
    return (ends[0], ends[1])
  }

  private static func read(_ number: Int32, _ count: Int, at offset: Int64? = nil) -> (Transfer, [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: count)
    let transfer = buffer.withUnsafeMutableBytes { Descriptors.read(number, $0.baseAddress!, count: count, offset: offset) }
    return (transfer, buffer)
  }

  private static func write(_ number: Int32, _ kind: DescriptorKind, _ parts: [[UInt8]], at offset: Int64? = nil) -> Transfer {
    let all = parts.flatMap(\.self)
    return all.withUnsafeBytes { bytes in
      var pieces: [Descriptors.Piece] = []
      var start = 0
      for part in parts {
        pieces.append(Descriptors.Piece(base: bytes.baseAddress! + start, count: part.count))
        start += part.count
      }
      return pieces.withUnsafeBufferPointer { Descriptors.write(number, kind, $0, offset: offset) }
    }
  }

  @Test("A read brings bytes, nothing yet, or the end")
  func results() {
    let (output, input) = Self.makePipe()
    #expect(Descriptors.stopBlocking(output))
    #expect(!Descriptors.stopBlocking(output), "it is so already")
    #expect(Self.read(output, 10).0 == .wouldBlock)
    #expect(Self.write(input, .stream, [[1, 2], [3]]) == .moved(3))
    let (transfer, bytes) = Self.read(output, 10)
    #expect(transfer == .moved(3) && Array(bytes[..<3]) == [1, 2, 3])
    close(input)
    #expect(Self.read(output, 10).0 == .end)
    Descriptors.blockAgain(output)
    #expect(fcntl(output, F_GETFL) & O_NONBLOCK == 0)
    close(output)
    #expect(Self.read(999_999, 1).0 == .failed(EBADF))
    #expect(!Descriptors.stopBlocking(999_999))
  }

  @Test(
    "Writing with nobody at the other end of a pipe or socket is an error, and no signal",
    arguments: [DescriptorKind.stream, .socket])
  func noSignal(_ kind: DescriptorKind) {
    var ends: [Int32] = [0, 0]
    if kind == .socket {
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    } else {
      #expect(pipe(&ends) == 0)
    }
    close(ends[0])
    #expect(Self.write(ends[1], kind, [[1]]) == .failed(EPIPE))
    #expect(Self.write(ends[1], kind, [[1], [2]]) == .failed(EPIPE))
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
    close(ends[1])
  }

  @Test("A file is read and written at offsets, and at its pointer")
  func offsets() throws {
    var template = Array("/tmp/signalbox-transfer-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    defer {
      close(number)
      unlink(template)
    }
    #expect(try Descriptors.kind(of: number) == .file)
    #expect(Self.write(number, .file, [[1, 2, 3], [4]], at: 10) == .moved(4))
    #expect(try Descriptors.position(of: number) == 0)
    #expect(Self.write(number, .file, [[9]]) == .moved(1))
    #expect(try Descriptors.position(of: number) == 1)
    #expect(Self.read(number, 3, at: 11).1 == [2, 3, 4])
    #expect(Self.read(number, 3, at: 14).0 == .end)
    #expect(Self.write(number, .file, []) == .moved(0))
  }

  @Test("A descriptor's kind is read, and files are opened")
  func kinds() throws {
    let folder = try Descriptors.open(RawString(cString: "/tmp"), flags: O_RDONLY, mode: 0)
    #expect(try Descriptors.kind(of: folder) == .folder)
    Descriptors.close(folder)
    let (output, input) = Self.makePipe()
    #expect(try Descriptors.kind(of: output) == .stream)
    #expect(throws: SystemError(call: "lseek", code: ESPIPE)) { try Descriptors.position(of: output) }
    close(output)
    close(input)
    #expect(throws: SystemError(call: "fstat", code: EBADF)) { try Descriptors.kind(of: 999_999) }
    #expect(throws: SystemError(call: "open", code: ENOENT)) {
      try Descriptors.open(RawString(cString: "/tmp/signalbox-none"), flags: O_RDONLY, mode: 0)
    }
  }

  @Test("Signals that interrupt a read are survived")
  func interruptions() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)
      let (output, input) = TransferTests.makePipe()
      let reader = pthread_self()
      let disturber = TestThread {
        for _ in 0..<100 {
          pthread_kill(reader, SIGUSR1)
          sleepPlainly(microseconds: 200)  // time to read again
        }
        _ = TransferTests.write(input, .stream, [[5]])
      }
      let (transfer, bytes) = TransferTests.read(output, 1)
      disturber.join()
      #expect(transfer == .moved(1) && bytes == [5])
    }
  }
}
