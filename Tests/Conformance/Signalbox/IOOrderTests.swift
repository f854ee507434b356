// IOOrderTests.swift: operations of a stream keep the order of their scheduling, also those that a barrier or a suspension holds back
// until just then.
import Glibc
import Testing

extension Conformance {
  @Suite("The order of operations on channels") struct IOOrder {
    /// So many that they are still on their way when the first has come out; all of their bytes have room in a pipe.
    private static let count = 20_000

    private static func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    /// Schedules writes that are held back, has them let go, and schedules another one when the first comes out.
    private static func overtake(hold: (DispatchIO) -> Void, letGo: (DispatchIO) -> Void) {
      let (output, input) = makePipe()
      let cleanups = Cleanups(), done = Recorder<Int32>()
      let channel = DispatchIO.make(.stream, input, cleanups)
      let queue = DispatchQueue(label: "writes")
      func write(_ number: Int) {
        channel.write(offset: 0, data: DispatchData(bytes(number)), queue: queue) { if $0 { done.add($2) } }
      }
      hold(channel)
      for number in 0..<count { write(number) }
      letGo(channel)
      var first: [UInt8] = [1, 1]
      expectEqual(read(output, &first, 2), 2)
      expectEqual(first, [0, 0])
      write(count)
      channel.close()
      done.wait(count: count + 1)
      cleanups.wait(count: 1)
      close(input)
      expect(readAll(output) == (1...count).flatMap(bytes), "writes in another order")
      close(output)
    }

    @Test("What a barrier has held back comes before what is scheduled when it has ended")
    func barrier() async {
      await isolated {
        let gate = DispatchSemaphore(value: 0)
        Self.overtake(hold: { $0.barrier { gate.wait() } }, letGo: { _ in gate.signal() })
      }
    }

    @Test("What a suspended channel has held back comes before what is scheduled when it is resumed")
    func suspension() async {
      await isolated {
        Self.overtake(
          hold: { $0.suspend() },
          letGo: { channel in DispatchQueue.global().async { channel.resume() } })
      }
    }
  }
}
