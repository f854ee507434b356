// IOReadTests.swift: reading files by channels: which bytes, in which calls. Pipes and sockets are in IOStreamTests.swift.
import Glibc
import Testing

extension Conformance {
  @Suite("Channels that read files") struct IOReads {
    @Test("Reading to the end brings all bytes in order, then a last call without any")
    func wholeFiles() async {
      await isolated {
        for count in [0, 1, 1_000, 4_096, 100_000, 1 << 20, (1 << 20) + 1, 2_200_000] {
          let file = TestFile(pattern(count))
          let number = file.open(O_RDONLY)
          let cleanups = Cleanups()
          let channel = DispatchIO.make(.stream, number, cleanups)
          let listener = channel.listen(.max).wait()
          expect(listener.bytes == pattern(count), "other bytes than the file's \(count)")
          expectEqual(listener.calls.last, Told(true, 0))
          channel.close()
          cleanups.wait(count: 1)
          expectEqual(cleanups.entries, [0])
          close(number)
        }
      }
    }

    @Test("A read of a given length ends with the call that delivers the last byte")
    func exactLengths() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        for (length, calls) in [
          (1_000, [Told(true, 1_000)]), (999, [Told(true, 999)]), (1_001, [Told(false, 1_000), Told(true, 0)]),
          (0, [Told(true, 0)]),
        ] {
          let number = file.open(O_RDONLY)
          let cleanups = Cleanups()
          let channel = DispatchIO.make(.stream, number, cleanups)
          expectEqual(channel.listen(length).wait().calls, calls)
          channel.close()
          cleanups.wait(count: 1)
          close(number)
        }
      }
    }

    @Test("Reads of a stream follow one another from the file pointer on, whatever their offsets")
    func streams() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let number = file.open(O_RDONLY)
        lseek(number, 100, SEEK_SET)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        let listeners = [channel.listen(500, 50), channel.listen(0, 50), channel.listen(0, .max), channel.listen(0, 10)]
        for listener in listeners { listener.wait() }
        expectEqual(listeners[0].bytes, pattern(50, from: 100))
        expectEqual(listeners[1].bytes, pattern(50, from: 150))
        expectEqual(listeners[2].bytes, pattern(800, from: 200))
        expectEqual(listeners[3].calls, [Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(lseek(number, 0, SEEK_CUR), 1_000)
        close(number)
      }
    }

    @Test("Random access counts offsets from the file pointer of the channel's creation, and leaves it")
    func offsets() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let number = file.open(O_RDONLY)
        lseek(number, 100, SEEK_SET)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.random, number, cleanups)
        expectEqual(channel.listen(5, 10).wait().bytes, pattern(10, from: 105))
        expectEqual(channel.listen(800, 500).wait().calls, [Told(false, 100), Told(true, 0)])
        expectEqual(channel.listen(900, 1).wait().calls, [Told(true, 0)])
        expectEqual(channel.listen(5_000, 1).wait().calls, [Told(true, 0)])
        expectEqual(channel.listen(-101, 1).wait().calls, [Told(true, nil, EINVAL)])
        expectEqual(channel.listen(0, 0).wait().calls, [Told(true, 0)])
        expectEqual(channel.listen(0, 3).wait().bytes, pattern(3, from: 100))
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(lseek(number, 0, SEEK_CUR), 100)
        close(number)
      }
    }

    @Test("Reads of many parts at once each bring their own bytes")
    func slices() async {
      await isolated {
        let file = TestFile(pattern(64 << 12))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.random, number, cleanups)
        let parts = (0..<64).map { index in channel.listen(index << 12, 1 << 12, on: .global()) }
        for (index, part) in parts.enumerated() {
          part.wait()
          expect(part.bytes == pattern(1 << 12, from: index << 12), "part \(index) has other bytes")
        }
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test(
      "The low and the high mark bound the bytes of each call",
      arguments: [
        (0, 1_000, 1_000), (1_000, 1_000, 1_000), (300, 1_000, 1_000), (Int.max, 1_000, 1_000), (2_000, 1_000, 1_000),
        (1, 1, 1), (0, 0, 1),
      ])
    func marks(_ low: Int, _ high: Int, _ each: Int) async {
      await isolated {
        let length = each == 1 ? 50 : 10_500
        let file = TestFile(pattern(length))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        channel.setLimit(lowWater: low)
        channel.setLimit(highWater: high)
        let listener = channel.listen(.max).wait()
        expect(listener.bytes == pattern(length), "other bytes")
        var calls = Array(repeating: Told(false, each), count: length / each)
        if length % each > 0 { calls.append(Told(false, length % each)) }
        expectEqual(listener.calls, calls + [Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test("A high mark below the low one lowers it, a low one above the high one raises that")
    func marksThatCross() async {
      await isolated {
        let file = TestFile(pattern(5_000))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        channel.setLimit(highWater: 1_000)
        channel.setLimit(lowWater: 2_000)
        expectEqual(
          channel.listen(.max).wait().calls,
          [Told(false, 2_000), Told(false, 2_000), Told(false, 1_000), Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test("With a low mark above everything there is one report, at the end")
    func noReportsOnTheWay() async {
      await isolated {
        let file = TestFile(pattern(5_000_000))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.random, number, cleanups)
        channel.setLimit(lowWater: .max)
        expectEqual(channel.listen(0, 5_000_000).wait().calls, [Told(true, 5_000_000)])
        expectEqual(channel.listen(0, .max).wait().calls, [Told(false, 5_000_000), Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test("Calls come one at a time and in order on a concurrent queue, in the queue's turn")
    func order() async {
      await isolated {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        queue.setSpecific(key: key, value: 7)
        let file = TestFile(pattern(1 << 20))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        channel.setLimit(highWater: 10_000)
        let listener = Listener()
        channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
          expectEqual(DispatchQueue.getSpecific(key: key), 7)
          listener.hear(done, data, error)
        }
        expect(listener.wait().bytes == pattern(1 << 20), "bytes out of order")
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test("Reading a folder gives its error to the operation and the cleanup handler", arguments: [0, 1] as [UInt])
    func folders(_ type: UInt) async {
      await isolated {
        let number = open("/tmp", O_RDONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(DispatchIO.StreamType(rawValue: type)!, number, cleanups)
        expectEqual(channel.listen(10).wait().calls, [Told(true, nil, EISDIR)])
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [EISDIR])
        // Not closed: the toolchain's library may still know the number as a folder when another file gets it.
      }
    }
  }
}
