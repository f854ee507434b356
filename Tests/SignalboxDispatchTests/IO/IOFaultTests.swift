// IOFaultTests.swift: what the environment and the program do to channels: a peer that is gone, a descriptor closed by its owner,
// none left, no room. What both libraries do alike is in Tests/Conformance.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension IODescriptor {
  /// Whether a read of the descriptor waits for bytes: the kernel monitors it, by a descriptor of any number.
  static func isWaiting(_ number: Int32) -> Bool {
    guard let folder = opendir("/proc/self/fdinfo") else { return false }
    defer { closedir(folder) }
    let all = sequence(state: folder) { readdir($0) }.map { entry in
      withUnsafePointer(to: &entry.pointee.d_name) { String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) }
    }
    return all.contains { other in
      (Kernel.contents("/proc/self/fdinfo/\(other)") ?? "").split(separator: "\n").contains { line in
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        return words.count > 4 && words[0] == "tfd:" && Int32(words[1]) == number && words[3] != "0"
      }
    }
  }
}

/// From now on the system gives out no number but those of the standard streams, which are in use.
private func refuseDescriptors() {
  var limit = rlimit(rlim_cur: 3, rlim_max: 3)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

@Suite("Channels when descriptors fail", .serialized) struct IOFaultTests {
  @Test("A pipe whose reader has gone is EPIPE and no signal, also in the middle of a write")
  func brokenPipe() {
    let pipe = IOPipe()
    let ends = IOEnds()
    let channel = ends.channel(.stream, pipe.input)
    let writing = IOCalls.write(channel, [UInt8](repeating: 7, count: 200_000))
    #expect(eventually { pipe.count == 65_536 })
    pipe.closeOutput()
    #expect(writing.wait() == [IOCall(true, 134_464, EPIPE)])
    #expect(IOCalls.write(channel, [1, 2]).wait() == [IOCall(true, 2, EPIPE)])
    channel.close()
    #expect(ends.wait() == [0])
  }

  @Test("A relative path gives no channel")
  func relativePath() {
    for path in ["relative", "", "./x"] {
      #expect(DispatchIO(type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: .global()) { _ in } == nil)
    }
  }

  @Test("A path that no operation needed is never opened, and the cleanup handler gets no error")
  func unusedPath() {
    let ends = IOEnds()
    let channel = ends.channel(.stream, path: "/tmp/signalbox-none", O_RDONLY)
    channel.close()
    #expect(ends.wait() == [0])
  }

  @Test("When open(2) refuses a path the operations and the cleanup handler get its error")
  func refusedPath() {
    let file = IOFile([1, 2, 3])
    let ends = IOEnds()
    let channel = ends.channel(.stream, path: file.path, O_RDWR | O_CREAT | O_EXCL)
    #expect(IOCalls.read(channel, 0, 3).wait() == [IOCall(true, nil, EEXIST)])
    channel.close()
    #expect(ends.wait() == [EEXIST])
  }

  @Test("A write to a number that is no descriptor gives the data back, without a channel as well")
  func badDescriptor() {
    let answer = IOCalls()
    DispatchIO.write(toFileDescriptor: 999_999, data: IOCalls.data([1, 2, 3]), runningHandlerOn: .global()) {
      answer.hear(true, $0, $1)
    }
    #expect(answer.wait() == [IOCall(true, 3, EBADF)])
  }

  @Test("In a file that may not grow what fits is written, and the rest comes back with the error")
  func fullFile() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let file = IOFile()
      let number = file.open(O_RDWR)
      let ends = IOEnds()
      let channel = ends.channel(.stream, number)
      #expect(IOCalls.write(channel, IOFile.pattern(0..<250_000)).wait() == [IOCall(true, 150_000, EFBIG)])
      #expect(IOCalls.write(channel, [1]).wait() == [IOCall(true, 1, EFBIG)])
      lseek(number, 0, SEEK_SET)
      let reading = IOCalls.read(channel, 0, .max)
      _ = reading.wait()
      #expect(reading.bytes == IOFile.pattern(0..<100_000))
      channel.close()
      #expect(ends.wait() == [0])
      close(number)
    }
  }

  @Test("On a descriptor that is open for reading only a write fails, and reads go on")
  func wrongDirection() {
    let file = IOFile([1, 2, 3])
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let channel = ends.channel(.stream, number)
    #expect(IOCalls.write(channel, [7]).wait() == [IOCall(true, 1, EBADF)])
    #expect(IOCalls.read(channel, 0, 2).wait() == [IOCall(true, 2)])
    channel.close()
    #expect(ends.wait() == [0])
    close(number)
  }

  @Test("A write without a channel does not wait for a read of the same socket")
  func bothWithoutChannels() {
    var sockets: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    let (reading, writing) = (IOCalls(), IOCalls())
    DispatchIO.read(fromFileDescriptor: sockets[0], maxLength: 10, runningHandlerOn: .global()) { reading.hear(true, $0, $1) }
    DispatchIO.write(toFileDescriptor: sockets[0], data: IOCalls.data([1]), runningHandlerOn: .global()) {
      writing.hear(true, $0, $1)
    }
    #expect(writing.wait() == [IOCall(true, nil)])
    #expect(reading.calls == [])
    #expect(write(sockets[1], [7, 8] as [UInt8], 2) == 2)
    #expect(reading.wait() == [IOCall(true, 2)])
    #expect(fcntl(sockets[0], F_GETFL) & O_NONBLOCK == 0)
    for socket in sockets { close(socket) }
  }

  @Test("A pipe that has a channel gives its bytes to a read without one as well, in turn")
  func besideAChannel() {
    let pipe = IOPipe()
    let ends = IOEnds()
    let channel = ends.channel(.stream, pipe.output)
    let first = IOCalls.read(channel, 0, 2)
    pipe.put([1, 2, 3, 4])
    #expect(first.wait() == [IOCall(true, 2)])
    let answer = IOCalls()
    DispatchIO.read(fromFileDescriptor: pipe.output, maxLength: .max, runningHandlerOn: .global()) { answer.hear(true, $0, $1) }
    #expect(answer.wait() == [IOCall(true, 2)])
    #expect(answer.bytes == [3, 4])
    #expect(pipe.isNonblocking, "still under the channel's control")
    channel.close()
    #expect(ends.wait() == [0])
  }

  @Test("A barrier holds the operations of every channel of its descriptor")
  func barrierOfAll() {
    let file = IOFile(count: 1_000)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let (first, second) = (ends.channel(.random, number), ends.channel(.random, number))
    let gate = DispatchSemaphore(value: 0)
    first.barrier { gate.wait() }
    let reading = IOCalls.read(second, 0, 10)
    waitForWhatMustNotCome()
    #expect(reading.calls == [])
    gate.signal()
    #expect(reading.wait() == [IOCall(true, 10)])
    first.close()
    second.close()
    #expect(ends.wait(count: 2) == [0, 0])
    close(number)
  }

  @Test("A read that waits on a descriptor its owner closes gets EBADF, never another file's bytes")
  func closedByOwner() {
    let pipe = IOPipe()
    let ends = IOEnds()
    let channel = ends.channel(.stream, pipe.output)
    channel.setLimit(lowWater: 1)
    let reading = IOCalls.read(channel, 0, 100)
    #expect(eventually { IODescriptor.isWaiting(pipe.output) })
    let number = pipe.output
    pipe.closeOutput()
    let file = IOFile([9, 9, 9])
    let reused = file.openAs(number)
    // A channel of the new file finds out.
    let others = IOEnds()
    let other = others.channel(.stream, reused)
    #expect(IOCalls.read(other, 0, 3).wait() == [IOCall(true, 3)])
    #expect(reading.wait() == [IOCall(true, nil, EBADF)])
    channel.close()
    other.close()
    #expect(ends.wait() == [0])
    #expect(others.wait().count == 1)
    close(reused)
  }

  @Test("When no descriptor is left the operation and the cleanup handler get EMFILE")
  func noDescriptorLeft() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let file = IOFile([1])
      refuseDescriptors()
      let ends = IOEnds()
      let channel = ends.channel(.stream, path: file.path, O_RDONLY)
      #expect(IOCalls.read(channel, 0, 1).wait() == [IOCall(true, nil, EMFILE)])
      #expect(ends.wait() == [EMFILE])
    }
  }

  @Test("A pipe is served although the system has no descriptor for our poller yet")
  func noPoller() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let pipe = IOPipe()
      refuseDescriptors()
      let ends = IOEnds()
      let channel = ends.channel(.stream, pipe.output)
      let reading = IOCalls.read(channel, 0, 3)
      sleepPlainly(milliseconds: 20)  // time to be refused again, which nothing shows
      pipe.put([1, 2, 3])
      #expect(reading.wait() == [IOCall(true, 3)])
      channel.close()
      #expect(ends.wait() == [0])
    }
  }

  @Test("A thousand channels and operations leave nothing behind")
  func allWait() {
    let pipe = IOPipe()
    for round in 0..<1_000 {
      let ends = IOEnds()
      let channel = ends.channel(.stream, pipe.output)
      let reading = IOCalls.read(channel, 0, 10)
      pipe.put([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 10))
      #expect(reading.wait().last?.count == 10)
      channel.close()
      #expect(ends.wait() == [0])
    }
    #expect(!pipe.isNonblocking)
    #expect(!IOTable.controls(pipe.output))
  }
}
