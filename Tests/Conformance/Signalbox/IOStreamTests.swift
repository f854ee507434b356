// IOStreamTests.swift: channels on what has no size: pipes and sockets, which keep readers and writers waiting.
import Glibc
import Testing

extension Conformance {
  @Suite("Channels on pipes and sockets") struct IOStreams {
    @Test("With a low mark of one byte, what comes is reported at once")
    func lowMark() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, output, cleanups)
        channel.setLimit(lowWater: 1)
        let first = channel.listen(100), second = channel.listen(100)
        put([1, 2, 3], into: input)
        first.wait(bytes: 3)
        put([4, 5], into: input)
        first.wait(bytes: 5)
        close(input)
        expectEqual(first.wait().calls, [Told(false, 3), Told(false, 2), Told(true, 0)])
        expectEqual(first.bytes, [1, 2, 3, 4, 5])
        expectEqual(second.wait().calls, [Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        close(output)
      }
    }

    @Test("Without marks, bytes are reported when the length is reached, or at the end")
    func noMarks() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, output, cleanups)
        channel.setLimit(lowWater: .max)
        let first = channel.listen(10), second = channel.listen(.max)
        put(pattern(5), into: input)
        waitForWhatMustNotCome()
        expectEqual(first.calls, [])
        put(pattern(8, from: 5), into: input)
        expectEqual(first.wait().calls, [Told(true, 10)])
        close(input)
        expectEqual(second.wait().calls, [Told(false, 3), Told(true, 0)])
        expectEqual(second.bytes, pattern(3, from: 10))
        channel.close()
        cleanups.wait(count: 1)
        close(output)
      }
    }

    @Test("The descriptor does not block while a channel has it, and does again afterwards")
    func blocking() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, output, cleanups)
        let listener = channel.listen(1)
        expectEventually("not blocking") { isNonblocking(output) }
        expect(!isNonblocking(input), "the other end is not ours")
        put([1], into: input)
        listener.wait()
        channel.close()
        cleanups.wait(count: 1)
        expect(!isNonblocking(output), "still not blocking")
        close(output)
        close(input)
      }
    }

    @Test("A stopped read reports what came, then ECANCELED, and so do the reads behind it")
    func stoppedReads() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, output, cleanups)
        channel.setLimit(lowWater: 1)
        let first = channel.listen(100), second = channel.listen(100)
        put(pattern(5), into: input)
        first.wait(bytes: 5)
        channel.close(flags: .stop)
        expectEqual(first.wait().calls, [Told(false, 5), Told(true, nil, ECANCELED)])
        expectEqual(second.wait().calls, [Told(true, nil, ECANCELED)])
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [0])
        expect(!isNonblocking(output), "still not blocking")
        close(output)
        close(input)
      }
    }

    @Test("A stopped write reports ECANCELED with what was not written; the rest is in the pipe")
    func stoppedWrites() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, input, cleanups)
        let first = channel.put(pattern(200_000)), second = channel.put(pattern(10))
        var waiting: Int32 = 0
        expectEventually("full") { ioctl(output, UInt(FIONREAD), &waiting) == 0 && waiting == 65_536 }
        channel.close(flags: .stop)
        expectEqual(first.wait().calls, [Told(true, 134_464, ECANCELED)])
        expect(first.bytes == pattern(134_464, from: 65_536), "another rest")
        expectEqual(second.wait().calls, [Told(true, 10, ECANCELED)])
        cleanups.wait(count: 1)
        close(input)
        expect(readAll(output) == pattern(65_536), "other bytes in the pipe")
        close(output)
      }
    }

    @Test("A writer waits for a slow reader, and every byte comes once")
    func slowReader() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, input, cleanups)
        channel.setLimit(highWater: 100_000)
        let listener = channel.put(pattern(1_000_000))
        channel.close()
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 5_000)
        while all.count < 1_000_000, case let count = read(output, &buffer, 5_000), count > 0 { all += buffer[..<count] }
        expect(all == pattern(1_000_000), "other bytes")
        expectEqual(listener.wait().calls.last, Told(true, nil))
        expect(listener.calls.dropLast().allSatisfy { !$0.done && $0.error == 0 }, "\(listener.calls)")
        cleanups.wait(count: 1)
        close(input)
        close(output)
      }
    }

    @Test("Writing to a pipe without readers reports EPIPE with the bytes; the channel stays open")
    func brokenPipe() async {
      await isolated {
        signal(SIGPIPE, SIG_IGN)
        let (output, input) = makePipe()
        close(output)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, input, cleanups)
        expectEqual(channel.put(pattern(100)).wait().calls, [Told(true, 100, EPIPE)])
        expectEqual(channel.put(pattern(50)).wait().calls, [Told(true, 50, EPIPE)])
        expectEqual(channel.fileDescriptor, input)
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [0])
        close(input)
      }
    }

    @Test("When the peer resets, a read reports what came, then the error")
    func reset() async {
      await isolated {
        var ends: [Int32] = [0, 0]
        expectEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, ends[0], cleanups)
        channel.setLimit(lowWater: 1)
        let listener = channel.listen(.max)
        put(pattern(3), into: ends[1])
        listener.wait(bytes: 3)
        expectEqual(channel.put([9, 9]).wait().calls, [Told(true, nil)])
        close(ends[1])  // with two bytes unread
        expectEqual(listener.wait().calls, [Told(false, 3), Told(true, nil, ECONNRESET)])
        channel.close()
        cleanups.wait(count: 1)
        close(ends[0])
      }
    }

    @Test("A socket is read and written at once")
    func bothDirections() async {
      await isolated {
        var ends: [Int32] = [0, 0]
        expectEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let cleanups = Cleanups()
        let channels = ends.map { DispatchIO.make(.stream, $0, cleanups) }
        let readers = channels.map { $0.listen(1_000_000) }
        let writers = channels.map { $0.put(pattern(1_000_000)) }
        for writer in writers { expectEqual(writer.wait().calls.last, Told(true, nil)) }
        for reader in readers { expect(reader.wait().bytes == pattern(1_000_000), "other bytes") }
        for channel in channels { channel.close() }
        cleanups.wait(count: 2)
        for end in ends { close(end) }
      }
    }

    @Test("A strict interval reports although nothing came; another does not, and one of zero is none")
    func intervals() async {
      await isolated {
        for (isStrict, interval) in [(true, 3), (false, 3), (true, 0)] {
          let (output, input) = makePipe()
          let cleanups = Cleanups()
          let channel = DispatchIO.make(.stream, output, cleanups)
          channel.setLimit(lowWater: .max)
          channel.setInterval(interval: .milliseconds(interval), flags: isStrict ? .strictInterval : [])
          let listener = channel.listen(100)
          if isStrict, interval > 0 {
            expectEventually("empty reports") { listener.calls.count >= 3 }
            expect(listener.calls.allSatisfy { $0 == Told(false, 0) }, "\(listener.calls)")
            put([1, 2], into: input)
            listener.wait(bytes: 2)
          } else {
            put([1, 2], into: input)
            waitForWhatMustNotCome()
            expectEqual(listener.calls, [])
          }
          close(input)
          expectEqual(listener.wait().calls.last, Told(true, 0))
          expectEqual(listener.bytes, [1, 2])
          channel.close()
          cleanups.wait(count: 1)
          close(output)
        }
      }
    }
  }
}
