// SourceDataTests.swift: what data sources make of what is merged into them.
import Testing

extension Conformance {
  @Suite("Data sources") struct SourceData {
    /// Merges while the queue is held, and says what the events brought.
    private static func events(
      _ make: @Sendable (DispatchQueue) -> any DispatchSourceProtocol, _ rounds: [[UInt]],
      _ merge: (any DispatchSourceProtocol, UInt) -> Void
    ) -> [UInt] {
      let (queue, log) = (DispatchQueue(label: "source"), Recorder<UInt>())
      let (source, ended) = (make(queue), Gate())
      source.setEventHandler { log.add(source.data) }
      source.setCancelHandler { ended.open() }
      source.activate()
      queue.sync {}
      for round in rounds {
        queue.suspend()
        for value in round { merge(source, value) }
        queue.resume()
        waitForWhatMustNotCome()
        queue.sync {}
      }
      source.cancel()
      ended.wait()
      return log.entries
    }

    @Test("An adding source delivers sums, wrapping; a sum of nothing is no event")
    func add() async {
      await isolated {
        let events = SourceData.events({ DispatchSource.makeUserDataAddSource(queue: $0) }, [[1, 2, 3], [0], [.max, 1], [5]]) {
          ($0 as! any DispatchSourceUserDataAdd).add(data: $1)
        }
        expectEqual(events, [6, 5])
      }
    }

    @Test("An or-ing source delivers the union of bits")
    func or() async {
      await isolated {
        let events = SourceData.events({ DispatchSource.makeUserDataOrSource(queue: $0) }, [[1, 4, 1], [0], [2]]) {
          ($0 as! any DispatchSourceUserDataOr).or(data: $1)
        }
        expectEqual(events, [5, 2])
      }
    }

    @Test("A replacing source delivers the latest, and nothing when that is zero")
    func replace() async {
      await isolated {
        let events = SourceData.events({ DispatchSource.makeUserDataReplaceSource(queue: $0) }, [[1, 7], [3, 0], [2]]) {
          ($0 as! any DispatchSourceUserDataReplace).replace(data: $1)
        }
        expectEqual(events, [7, 2])
      }
    }

    @Test("Nothing that is added is lost or counted twice, however busy the handler is")
    func coalescing() async {
      await isolated {
        let queue = DispatchQueue(label: "source")
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let (total, events) = (Counter(), Counter())
        source.setEventHandler {
          total.add(Int(source.data))
          events.add()
          if events.value % 50 == 0 { briefPause() }
        }
        source.activate()
        onThreads(4) { [source = Shared(source)] _ in for value in 1...2_000 { source.value.add(data: UInt(value)) } }
        let expected = 4 * 2_000 * 2_001 / 2
        for _ in 0..<20_000 where total.value < expected { briefPause() }
        queue.sync {}
        expectEqual(total.value, expected)
        expect(events.value <= 8_000)
        source.cancel()
      }
    }

    @Test("Without a handler data is taken all the same; a later handler sees what comes later")
    func noHandler() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<UInt>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.activate()
        source.add(data: 5)
        waitForWhatMustNotCome()
        queue.sync {}
        source.setEventHandler { log.add(source.data) }
        source.add(data: 2)
        log.wait(count: 1)
        expectEqual(log.entries, [2])
        source.cancel()
      }
    }

    @Test("A source whose handler makes the next event lets every item that waits have its turn")
    func alwaysDue() async {
      await isolated {
        let queue = DispatchQueue(label: "source")
        let (events, over, marks) = (Counter(), Gate(), Recorder<Int>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler {
          events.add()
          if !over.isOpen { source.add(data: 1) }
        }
        source.activate()
        queue.sync {}
        queue.suspend()
        source.add(data: 1)
        for _ in 0..<5 { queue.async { marks.add(events.value) } }
        queue.resume()
        marks.wait(count: 5)
        over.open()
        expectEqual(marks.entries, [1, 1, 1, 1, 1])
        source.cancel()
      }
    }

    @Test("Data merged after the cancel is no event")
    func afterCancel() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<UInt>())
        let (source, ended) = (DispatchSource.makeUserDataOrSource(queue: queue), Gate())
        source.setEventHandler { log.add(source.data) }
        source.setCancelHandler { ended.open() }
        source.activate()
        source.cancel()
        source.or(data: 1)
        ended.wait()
        source.or(data: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
      }
    }
  }
}
