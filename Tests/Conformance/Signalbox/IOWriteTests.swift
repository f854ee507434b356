// IOWriteTests.swift: writing files by channels: which bytes land where, what handlers hear of the rest.
import Glibc
import Testing

extension Conformance {
  @Suite("Channels that write files") struct IOWrites {
    @Test("A write writes all bytes, and its last call has no rest", arguments: [0, 1, 100_000, 3 << 20])
    func whole(_ count: Int) async {
      await isolated {
        let file = TestFile()
        let number = file.open(O_WRONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        expectEqual(channel.put(pattern(count)).wait().calls.last, Told(true, nil))
        channel.close()
        cleanups.wait(count: 1)
        close(number)
        expect(file.contents == pattern(count), "other bytes in the file")
      }
    }

    @Test("Data of many regions is written whole")
    func regions() async {
      await isolated {
        let file = TestFile()
        let number = file.open(O_WRONLY)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        var data = DispatchData.empty
        for index in 0..<1_000 { data.append(DispatchData(pattern(100, from: index * 100))) }
        let listener = Listener()
        channel.write(offset: 0, data: data, queue: DispatchQueue(label: "write")) { listener.hear($0, $1, $2) }
        expectEqual(listener.wait().calls, [Told(true, nil)])
        channel.close()
        cleanups.wait(count: 1)
        close(number)
        expect(file.contents == pattern(100_000), "other bytes in the file")
      }
    }

    @Test("Writes of a stream follow one another; those at offsets land there")
    func places() async {
      await isolated {
        let file = TestFile()
        let number = file.open(O_RDWR)
        let cleanups = Cleanups()
        let stream = DispatchIO.make(.stream, number, cleanups)
        let parts = (0..<20).map { stream.put(pattern(1_000, from: $0 * 1_000), at: 5) }
        for part in parts { part.wait() }
        expect(file.contents == pattern(20_000), "other bytes in the file")
        lseek(number, 10, SEEK_SET)
        let random = DispatchIO.make(.random, number, cleanups)
        expectEqual(random.put([1, 2, 3], at: 90).wait().calls, [Told(true, nil)])
        expectEqual(random.put([1, 2, 3], at: -11).wait().calls, [Told(true, 3, EINVAL)])
        expectEqual(Array(file.contents[99..<104]), pattern(1, from: 99) + [1, 2, 3] + pattern(1, from: 103))
        expectEqual(random.put([7], at: 29_989).wait().calls, [Told(true, nil)])
        expectEqual(file.contents.count, 30_000)
        stream.close()
        random.close()
        cleanups.wait(count: 2)
        close(number)
      }
    }

    @Test("With a high-water mark a write reports each time that many bytes are written, with those that remain")
    func marks() async {
      await isolated {
        for low in [0, 300, 1_000] {
          let file = TestFile()
          let number = file.open(O_WRONLY)
          let cleanups = Cleanups()
          let channel = DispatchIO.make(.stream, number, cleanups)
          channel.setLimit(lowWater: low)
          channel.setLimit(highWater: 1_000)
          let calls = (0..<10).map { Told(false, 9_500 - $0 * 1_000) } + [Told(true, nil)]
          expectEqual(channel.put(pattern(10_500)).wait().calls, calls)
          channel.close()
          cleanups.wait(count: 1)
          close(number)
          expect(file.contents == pattern(10_500), "other bytes in the file")
        }
      }
    }

    @Test("Writing to a full device reports the error and what could not be written")
    func fullDevice() async {
      await isolated {
        let number = open("/dev/full", O_RDWR)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        expectEqual(channel.put(pattern(100)).wait().calls, [Told(true, 100, ENOSPC)])
        expectEqual(channel.put(pattern(10)).wait().calls, [Told(true, 10, ENOSPC)])
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [0])
        close(number)
      }
    }

    @Test("Every byte goes from one channel to another, in order")
    func copying() async {
      await isolated {
        let (source, target) = (TestFile(pattern(5_000_000)), TestFile())
        let (from, to) = (source.open(O_RDONLY), target.open(O_WRONLY))
        let cleanups = Cleanups()
        let (input, output) = (DispatchIO.make(.stream, from, cleanups), DispatchIO.make(.stream, to, cleanups))
        let queue = DispatchQueue(label: "copy")
        let left = DispatchGroup()
        left.enter()
        input.read(offset: 0, length: .max, queue: queue) { done, data, error in
          expectEqual(error, 0)
          left.enter()
          output.write(offset: 0, data: data ?? .empty, queue: queue) { done, _, error in
            expectEqual(error, 0)
            if done { left.leave() }
          }
          if done { left.leave() }
        }
        expectEqual(left.wait(timeout: .now() + .seconds(patience)), .success)
        input.close()
        output.close()
        cleanups.wait(count: 2)
        close(from)
        close(to)
        expect(target.contents == source.contents, "the copy differs")
      }
    }
  }
}
