// IOSocketTests.swift: channels on sockets: writes that begin on the caller's thread, and peers that reset the connection.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Two connected sockets, closed by the test.
private func sockets() -> (Int32, Int32) {
  var ends: [Int32] = [0, 0]
  precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "no sockets for a test")
  return (ends[0], ends[1])
}

private func waiting(_ socket: Int32) -> Int {
  var count: Int32 = 0
  return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
}

/// Closes a connection so that the other side hears of it by an error.
private func resetConnection(_ socket: Int32) {
  var option = linger(l_onoff: 1, l_linger: 0)
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  close(socket)
}

@Suite("Channels on sockets", .serialized) struct IOSocketTests {
  @Test("A write to a socket with room is done when the call returns; its handler runs on its queue")
  func writtenAtOnce() {
    let (ours, theirs) = sockets()
    let ends = IOEnds()
    let channel = ends.channel(.stream, ours)
    let queue = DispatchQueue(label: "held")
    queue.suspend()
    let calls = IOCalls(keepsBytes: false)
    for round in 1...3 {
      channel.write(offset: 0, data: IOCalls.data([1, 2, 3]), queue: queue) { calls.hear($0, $1, $2) }
      #expect(waiting(theirs) == 3 * round)
    }
    #expect(calls.calls == [])
    queue.resume()
    #expect(eventually { calls.calls == [IOCall(true, nil), IOCall(true, nil), IOCall(true, nil)] })
    channel.close()
    #expect(ends.wait() == [0])
    close(ours)
    close(theirs)
  }

  @Test("A write does not overtake a barrier, and bytes that a socket has no room for follow later")
  func behindABarrier() {
    let (ours, theirs) = sockets()
    let ends = IOEnds()
    let channel = ends.channel(.stream, ours)
    let gate = DispatchSemaphore(value: 0)
    channel.barrier { gate.wait() }
    let large = IOFile.pattern(0..<3_000_000)
    let (first, second) = (IOCalls.write(channel, large), IOCalls.write(channel, [1, 2, 3]))
    #expect(waiting(theirs) == 0)
    gate.signal()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while bytes.count < large.count + 3 {
      let count = read(theirs, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    #expect(bytes == large + [1, 2, 3])
    #expect(first.wait().last == IOCall(true, nil) && second.wait() == [IOCall(true, nil)])
    channel.close()
    #expect(ends.wait() == [0])
    close(ours)
    close(theirs)
  }

  @Test("A socket that somebody has made blocking again does not keep the thread that writes")
  func blockingAgain() {
    let (ours, theirs) = sockets()
    let ends = IOEnds()
    let channel = ends.channel(.stream, ours)
    #expect(fcntl(ours, F_SETFL, 0) == 0)
    let writing = IOCalls.write(channel, [UInt8](repeating: 7, count: 4 << 20))  // returns, although no thread reads
    channel.close(flags: .stop)
    let last = writing.wait().last
    #expect(last?.error == ECANCELED && (last?.count ?? 0) > 0)
    #expect(ends.wait() == [0])
    close(ours)
    close(theirs)
  }

  @Test("When the peer resets the connection, reads and writes under way end with ECONNRESET, later ones with EPIPE")
  func reset() {
    for round in 0..<20 {
      let (ours, theirs) = tcpConnection()
      let ends = IOEnds()
      let channel = ends.channel(.stream, ours)
      channel.setLimit(lowWater: 1)
      let reading = IOCalls.read(channel, 0, .max)
      if round % 2 == 0 { #expect(eventually { IODescriptor.isWaiting(ours) }) }
      resetConnection(theirs)
      #expect(reading.wait() == [IOCall(true, nil, ECONNRESET)])
      #expect(IOCalls.write(channel, [1, 2]).wait() == [IOCall(true, 2, EPIPE)])
      channel.close()
      #expect(ends.wait() == [0])
      close(ours)
    }
  }

  @Test("When the peer resets while a write waits for room, the rest comes back with the error")
  func resetWhileWriting() {
    let (ours, theirs) = tcpConnection()
    let ends = IOEnds()
    let channel = ends.channel(.stream, ours)
    let size = 16 << 20
    let writing = IOCalls.write(channel, [UInt8](repeating: 7, count: size))
    #expect(eventually { waiting(theirs) > 0 && IODescriptor.isWaiting(ours) })
    resetConnection(theirs)
    let last = writing.wait().last
    #expect(last?.error == ECONNRESET && last?.done == true)
    #expect((1..<size).contains(last?.count ?? 0))
    channel.close()
    #expect(ends.wait() == [0])
    close(ours)
  }

  @Test("A read source of a connection that is reset is called, and a read then gets the error")
  func resetUnderSources() {
    let (ours, theirs) = tcpConnection()
    let errors = Count()
    let source = DispatchSource.makeReadSource(fileDescriptor: ours)
    source.setEventHandler {
      var byte: UInt8 = 0
      if recv(ours, &byte, 1, 0) < 0 && errno == ECONNRESET { errors.add() }
      source.cancel()
    }
    let ended = DispatchSemaphore(value: 0)
    source.setCancelHandler { ended.signal() }
    source.activate()
    resetConnection(theirs)
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(errors.value == 1)
    close(ours)
  }
}
