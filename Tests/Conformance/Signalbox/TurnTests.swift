// TurnTests.swift: queues that share a target and never run dry: who comes when. Sources that never run dry are in SourceDataTests
// and TimerTests.
import Testing

extension Conformance {
  @Suite("Turns") struct Turns {
    /// An item that submits its own successor until told to stop.
    final class Feeder: Sendable {
      let over = Gate()
      let ran = Counter()
      private let pause: UInt64

      /// Each item keeps its thread busy for `pause` nanoseconds.
      init(pause: UInt64 = 0) {
        self.pause = pause
      }

      /// Feeds the queues in turn.
      func feed(_ queues: [DispatchQueue], _ index: Int = 0) {
        queues[index % queues.count].async {
          self.ran.add()
          let end = Clock.uptime + self.pause
          while Clock.uptime < end {}
          if !self.over.isOpen { self.feed(queues, index + 1) }
        }
      }
    }

    /// How many items of the feeder had run when each of five items of `root` ran; the feeder's first lay before them.
    private static func marks(_ feeder: Feeder, _ queues: [DispatchQueue], _ root: DispatchQueue) -> [Int] {
      let marks = Recorder<Int>()
      root.suspend()
      feeder.feed(queues)
      for _ in 0..<5 { root.async { marks.add(feeder.ran.value) } }
      root.resume()
      marks.wait(count: 5)
      feeder.over.open()
      for queue in queues { queue.sync(flags: .barrier) {} }
      return marks.entries
    }

    @Test("A concurrent queue that feeds itself comes after each item behind what waits for its serial target")
    func concurrentChild() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let child = DispatchQueue(label: "child", attributes: .concurrent, target: root)
        expectEqual(Turns.marks(Feeder(), [child], root), [1, 1, 1, 1, 1])
      }
    }

    @Test("Two queues that feed each other come after each item behind what waits for their serial target")
    func childrenInTurn() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let children = (0..<2).map { DispatchQueue(label: "child \($0)", target: root) }
        expectEqual(Turns.marks(Feeder(), children, root), [1, 1, 1, 1, 1])
      }
    }

    @Test("All that a queue holds when its turn comes runs before the target's next item", arguments: [true, false])
    func wholeTurn(isSerial: Bool) async {
      await isolated {
        let (root, ran, marks) = (DispatchQueue(label: "root"), Counter(), Recorder<Int>())
        let child = DispatchQueue(label: "child", attributes: isSerial ? [] : .concurrent, target: root)
        for count in [1, 6, 7, 63, 64, 65, 261, 262, 600] {
          let before = ran.value
          root.suspend()
          for _ in 0..<count { child.async { ran.add() } }
          root.async { marks.add(ran.value - before) }
          root.resume()
          root.sync {}
          expectEqual(marks.entries.last, count)
        }
      }
    }

    @Test("A thread gets its turn of a serial queue that feeds itself", arguments: [0, 20_000, 1_000_000] as [UInt64])
    func syncOntoFeeding(pause: UInt64) async {
      await isolated {
        let root = DispatchQueue(label: "root")
        for queue in [root, DispatchQueue(label: "child", target: root)] {
          let (feeder, entered) = (Feeder(pause: pause), Gate())
          feeder.feed([queue])
          for _ in 0..<10_000 where feeder.ran.value < 3 { briefPause() }
          let thread = onThread { queue.sync { entered.open() } }
          entered.wait()
          feeder.over.open()
          thread.join()
          queue.sync {}
        }
      }
    }
  }
}
