// WholeWriteTests.swift: writing until all is written: more than fits at once, and what stops it.
import Glibc
import Testing

@testable import SignalboxSystem

@Suite("Writing all bytes") struct WholeWriteTests {
  private func pipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("More bytes than a pipe takes at once arrive in order")
  func large() {
    let ends = pipe(), bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let writer = TestThread {
      #expect(bytes.withUnsafeBytes { WholeWrite.write($0, to: ends.writing) } == nil)
      close(ends.writing)
    }
    var read: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 50_000)
    while true {
      let count = Glibc.read(ends.reading, &buffer, buffer.count)
      if count <= 0 { break }
      read += buffer[..<count]
    }
    writer.join()
    close(ends.reading)
    #expect(read == bytes)
  }

  @Test("Nothing to write is written; a descriptor that is closed, or whose reader is gone, is an error and no signal")
  func errors() {
    let ends = pipe()
    #expect(WholeWrite.write(UnsafeRawBufferPointer(start: nil, count: 0), to: ends.writing) == nil)
    close(ends.reading)
    #expect([UInt8(1)].withUnsafeBytes { WholeWrite.write($0, to: ends.writing) } == SystemError(call: "write", code: EPIPE))
    close(ends.writing)
    #expect([UInt8(1)].withUnsafeBytes { WholeWrite.write($0, to: -1) } == SystemError(call: "write", code: EBADF))
  }

  @Test("Who asks for it gets the signal, as any program that writes to nobody")
  func brokenPipe() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      signal(SIGPIPE, SIG_DFL)
      var ends: [Int32] = [-1, -1]
      _ = Glibc.pipe(&ends)
      close(ends[0])
      _ = [UInt8(1)].withUnsafeBytes { WholeWrite.write($0, to: ends[1], brokenPipe: .signals) }
    }
  }
}
