// IOLifeTests.swift: the life of channels: making, closing, sharing a descriptor, the cleanup handler, barriers, paths.
import Glibc
import Testing

extension Conformance {
  @Suite("The life of channels") struct IOLife {
    @Test("The cleanup handler comes once, after the last call of every handler")
    func cleanupIsLast() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let queue = DispatchQueue(label: "slow")
        queue.suspend()
        let channel = DispatchIO.make(.random, number, cleanups)
        let listener = channel.listen(0, 1_000, on: queue)
        channel.close()
        waitForWhatMustNotCome()
        expectEqual(cleanups.entries, [])
        queue.resume()
        listener.wait()
        cleanups.wait(count: 1)
        waitForWhatMustNotCome()
        expectEqual(cleanups.entries, [0])
        expectEqual(channel.fileDescriptor, -1)
        close(number)
      }
    }

    @Test("A closed channel refuses operations with ECANCELED, and gives the data of a write back")
    func closed() async {
      await isolated {
        let file = TestFile(pattern(10))
        let number = file.open(O_RDWR)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.stream, number, cleanups)
        expectEqual(channel.fileDescriptor, number)
        channel.close()
        expectEqual(channel.listen(10).wait().calls, [Told(true, nil, ECANCELED)])
        expectEqual(channel.put([1, 2, 3]).wait().calls, [Told(true, 3, ECANCELED)])
        channel.close()
        channel.close(flags: .stop)
        cleanups.wait(count: 1)
        expectEqual(file.contents, pattern(10))
        close(number)
      }
    }

    @Test("Letting go of a channel ends it once its operations have ended")
    func released() async {
      await isolated {
        let (output, input) = makePipe()
        let cleanups = Cleanups()
        var channel: DispatchIO? = DispatchIO.make(.stream, output, cleanups)
        let listener = channel!.listen(5)
        channel = nil
        waitForWhatMustNotCome()
        expectEqual(cleanups.entries, [])
        put(pattern(5), into: input)
        expectEqual(listener.wait().calls, [Told(true, 5)])
        cleanups.wait(count: 1)
        close(output)
        close(input)
      }
    }

    @Test("A number that is no descriptor gives EBADF to the operations and the cleanup handler", arguments: [0, 1] as [UInt])
    func badDescriptor(_ type: UInt) async {
      await isolated {
        let cleanups = Cleanups()
        let channel = DispatchIO.make(DispatchIO.StreamType(rawValue: type)!, 999_999, cleanups)
        expectEqual(channel.listen(10).wait().calls, [Told(true, nil, EBADF)])
        expectEqual(channel.put([1]).wait().calls, [Told(true, 1, EBADF)])
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [EBADF])
        channel.close()
      }
    }

    @Test("Random access to a pipe gives ESPIPE")
    func noPositions() async {
      await isolated {
        let output = makePipe().output
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.random, output, cleanups)
        expectEqual(channel.listen(10).wait().calls, [Told(true, nil, ESPIPE)])
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [ESPIPE])
        channel.close()
        // Not closed: the toolchain's library may still know the numbers as a pipe's when another file gets them.
      }
    }

    @Test("Of two channels of one descriptor neither lets go of it before both are closed")
    func shared() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups()
        let first = DispatchIO.make(.random, number, cleanups), second = DispatchIO.make(.random, number, cleanups)
        expectEqual(first.listen(10).wait().bytes, pattern(10))
        expectEqual(second.listen(500, 10).wait().bytes, pattern(10, from: 500))
        first.close()
        waitForWhatMustNotCome()
        expectEqual(cleanups.entries, [])
        expectEqual(second.listen(5, 10).wait().bytes, pattern(10, from: 5))
        second.close()
        cleanups.wait(count: 2)
        expectEqual(cleanups.entries, [0, 0])
        close(number)
      }
    }

    @Test("A channel made of another one shares its descriptor; one made of a closed channel gets ECANCELED")
    func ofAnother() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let number = file.open(O_RDONLY)
        let cleanups = Cleanups(), queue = DispatchQueue(label: "cleanup")
        let first = DispatchIO.make(.stream, number, cleanups)
        let second = DispatchIO(type: .random, io: first, queue: queue) { cleanups.add($0) }
        expectEqual(second.listen(500, 10).wait().bytes, pattern(10, from: 500))
        expectEqual(second.fileDescriptor, number)
        first.close()
        waitForWhatMustNotCome()
        expectEqual(cleanups.entries, [])
        let refused = Cleanups()
        let third = DispatchIO(type: .random, io: first, queue: queue) { refused.add($0) }
        expectEqual(third.listen(0, 1).wait().calls, [Told(true, nil, ECANCELED)])
        refused.wait(count: 1)
        expectEqual(refused.entries, [ECANCELED])
        second.close()
        cleanups.wait(count: 2)
        close(number)
      }
    }

    @Test("A barrier runs when all before it have ended, may use the descriptor, and holds back all after it")
    func barriers() async {
      await isolated {
        let file = TestFile()
        let number = file.open(O_RDWR)
        let cleanups = Cleanups()
        let channel = DispatchIO.make(.random, number, cleanups)
        let gate = Gate()
        let before = (0..<8).map { channel.put(pattern(100_000, from: $0 * 100_000), at: $0 * 100_000) }
        channel.barrier {
          expect(file.contents == pattern(800_000), "the barrier came too early")
          expectEqual(channel.fileDescriptor, number)
          expectEqual(ftruncate(number, 10), 0)
          gate.wait()
        }
        let after = [channel.listen(0, 100), channel.listen(5, 100)]
        for listener in before { listener.wait() }
        waitForWhatMustNotCome()
        for listener in after { expectEqual(listener.calls, []) }
        gate.open()
        expectEqual(after[0].wait().calls, [Told(false, 10), Told(true, 0)])
        expectEqual(after[1].wait().calls, [Told(false, 5), Told(true, 0)])
        channel.close()
        cleanups.wait(count: 1)
        close(number)
      }
    }

    @Test("A path is opened by the first operation and closed before the cleanup handler")
    func paths() async {
      await isolated {
        let file = TestFile(pattern(1_000))
        let cleanups = Cleanups()
        let queue = DispatchQueue(label: "cleanup")
        let channel = DispatchIO(type: .stream, path: file.path, oflag: O_RDONLY, mode: 0, queue: queue) { cleanups.add($0) }!
        waitForWhatMustNotCome()
        expectEqual(channel.fileDescriptor, -1)
        expectEqual(channel.listen(10).wait().bytes, pattern(10))
        let number = channel.fileDescriptor
        expect(number >= 0, "not open")
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [0])
        expectEqual(fcntl(number, F_GETFD), -1)
      }
    }

    @Test("A path that cannot be opened gives its error to every operation and the cleanup handler")
    func badPaths() async {
      await isolated {
        for (path, flags, error) in [
          ("/tmp/signalbox-none", O_RDONLY, ENOENT), ("/tmp", O_RDWR, EISDIR), ("/etc/passwd/none", O_RDONLY, ENOTDIR),
        ] {
          let cleanups = Cleanups()
          let queue = DispatchQueue(label: "cleanup")
          let channel = DispatchIO(type: .stream, path: path, oflag: flags, mode: 0, queue: queue) { cleanups.add($0) }!
          expectEqual(channel.listen(10).wait().calls, [Told(true, nil, error)])
          expectEqual(channel.put([1, 2]).wait().calls, [Told(true, 2, error)])
          cleanups.wait(count: 1)
          expectEqual(cleanups.entries, [error])
          expectEqual(channel.fileDescriptor, -1)
          channel.close()
        }
      }
    }

    @Test("A path is opened by asking for the descriptor inside of a barrier; a file can be made")
    func pathsInBarriers() async {
      await isolated {
        let file = TestFile()
        unlink(file.path)
        let cleanups = Cleanups()
        let channel = DispatchIO(
          type: .stream, path: file.path, oflag: O_RDWR | O_CREAT | O_EXCL, mode: 0o640, queue: DispatchQueue(label: "cleanup")
        ) { cleanups.add($0) }!
        let passed = Gate()
        channel.barrier {
          var status = stat()
          expectEqual(fstat(channel.fileDescriptor, &status), 0)
          passed.open()
        }
        passed.wait()
        expectEqual(channel.put(pattern(10)).wait().calls, [Told(true, nil)])
        expectEqual(file.contents, pattern(10))
        channel.close()
        cleanups.wait(count: 1)
        expectEqual(cleanups.entries, [0])
      }
    }

    @Test("The raw values of the types and flags are the header's")
    func rawValues() {
      #expect(DispatchIO.StreamType(rawValue: 0) == .stream)
      #expect(DispatchIO.StreamType(rawValue: 1) == .random)
      #expect(DispatchIO.StreamType(rawValue: 2) == nil)
      #expect(DispatchIO.CloseFlags.stop.rawValue == 1)
      #expect(DispatchIO.IntervalFlags.strictInterval.rawValue == 1)
      #expect(DispatchIO.IntervalFlags(nilLiteral: ()) == [])
    }
  }
}
