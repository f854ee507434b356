// SourceLifeTests.swift: the life of a source, shown with sources whose events the test makes itself. What they make of the
// data is in SourceDataTests.swift.
import Testing

extension Conformance {
  @Suite("Life of sources") struct SourceLife {
    @Test("A source is born inactive: data merged before activation comes after the registration handler, in one event")
    func birth() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { log.add("event \(source.data)") }
        source.setRegistrationHandler { log.add("registered") }
        source.add(data: 3)
        source.add(data: 4)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.activate()
        source.activate()
        log.wait(count: 2)
        expect(log.entries.contains("registered") && log.entries.contains("event 7"), "\(log.entries)")
        if engineIsOurs { expectEqual(log.entries, ["registered", "event 7"]) }
        expectEqual(source.handle, 0)
        expectEqual(source.mask, 0)
        source.cancel()
      }
    }

    @Test("Resuming activates a source that is not suspended; one that is suspended besides is resumed first")
    func resumeActivates() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { log.add("event") }
        source.add(data: 1)
        source.suspend()
        source.resume()
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.resume()
        log.wait(count: 1)
        source.cancel()
      }
    }

    @Test("The cancel handler comes last and once, however often and from wherever the source is cancelled")
    func cancelOnce() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let (entered, cancelled) = (Gate(), Gate())
        source.setEventHandler {
          entered.open()
          cancelled.wait()
          log.add("event \(source.isCancelled)")
        }
        source.setCancelHandler { log.add("cancel") }
        source.activate()
        source.add(data: 1)
        entered.wait()
        onThreads(4) { [source = Shared(source)] _ in source.value.cancel() }
        source.add(data: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        cancelled.open()
        log.wait(count: 2)
        source.cancel()
        queue.sync {}
        expectEqual(log.entries, ["event true", "cancel"])
        expect(source.isCancelled)
      }
    }

    @Test("A source cancelled inside its handler calls it no more")
    func cancelInside() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler {
          log.add("event")
          source.cancel()
          source.add(data: 1)
        }
        source.setCancelHandler { log.add("cancel") }
        source.activate()
        source.add(data: 1)
        log.wait(count: 2)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["event", "cancel"])
      }
    }

    @Test("A source cancelled before its activation calls only the cancel handler, once it is activated")
    func cancelBeforeActivation() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setRegistrationHandler { log.add("registered") }
        source.setEventHandler { log.add("event") }
        source.setCancelHandler { log.add("cancel") }
        source.add(data: 1)
        source.cancel()
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.activate()
        log.wait(count: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["cancel"])
      }
    }

    @Test("A suspended source calls nothing, not even the cancel handler; what is merged meanwhile comes in one event")
    func suspension() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { log.add("event \(source.data)") }
        source.setCancelHandler { log.add("cancel") }
        source.activate()
        source.suspend()
        for _ in 0..<100 { source.add(data: 2) }
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        source.resume()
        log.wait(count: 1)
        queue.sync {}
        waitForWhatMustNotCome()  // the toolchain's may still be about to leave the source, and then goes on
        source.suspend()
        source.cancel()
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["event 200"])
        source.resume()
        log.wait(count: 2)
        expectEqual(log.entries, ["event 200", "cancel"])
      }
    }

    @Test(
      "Handlers wait for the target queue, and let go of what they hold: the event handler at the cancel, before its handler")
    func captures() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        do {
          let event = Probe { log.add("event freed") }
          let cancel = Probe { log.add("cancel freed") }
          let registration = Probe { log.add("registration freed") }
          source.setEventHandler { event.touch() }
          source.setRegistrationHandler { registration.touch() }
          source.setCancelHandler {
            cancel.touch()
            log.add("cancel")
          }
        }
        queue.suspend()
        source.activate()
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        queue.resume()
        log.wait(count: 1)
        source.cancel()
        log.wait(count: 4)
        expectEqual(log.entries, ["registration freed", "event freed", "cancel", "cancel freed"])
      }
    }

    @Test("A source that nobody holds any more calls nothing and lets go of its handlers, the cancel handler unheard")
    func abandoned() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        do {
          let source = DispatchSource.makeUserDataAddSource(queue: queue)
          let (event, cancel) = (Probe { log.add("event freed") }, Probe { log.add("cancel freed") })
          source.setEventHandler { event.touch() }
          source.setCancelHandler {
            cancel.touch()
            log.add("cancel")
          }
          source.activate()
          queue.sync {}
        }
        log.wait(count: 2)
        waitForWhatMustNotCome()
        expectEqual(log.entries.sorted(), ["cancel freed", "event freed"])
      }
    }

    @Test("A handler can be replaced, also from inside itself, and taken away")
    func replacement() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler {
          log.add("first")
          source.setEventHandler { log.add("second") }
          source.add(data: 1)
        }
        source.activate()
        source.add(data: 1)
        log.wait(count: 2)
        source.setEventHandler(handler: nil as DispatchSourceHandler?)
        source.add(data: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["first", "second"])
        source.cancel()
      }
    }

    @Test("A registration handler set late is called all the same, and so is a cancel handler")
    func lateHandlers() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<String>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.activate()
        queue.sync {}
        source.setRegistrationHandler { log.add("registered") }
        source.add(data: 1)
        log.wait(count: 1)
        source.cancel()
        waitForWhatMustNotCome()
        source.setCancelHandler { log.add("cancel") }
        log.wait(count: 2)
        expectEqual(log.entries, ["registered", "cancel"])
      }
    }

    @Test("On a concurrent queue a source's handlers still run one at a time")
    func oneAtATime() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let (room, total, ended) = (Room(), Counter(), Gate())
        source.setEventHandler {
          room.write()
          total.add(Int(source.data))
        }
        source.setCancelHandler { ended.open() }
        source.activate()
        onThreads(4) { [source = Shared(source)] _ in for _ in 0..<500 { source.value.add(data: 1) } }
        while total.value < 2_000 { briefPause() }
        source.cancel()
        ended.wait()
        expectEqual(room.intrusions, 0)
        expectEqual(total.value, 2_000)
      }
    }

    @Test("A work item as handler is performed at each event, and passed over once it is cancelled")
    func workItems() async {
      await isolated {
        let (queue, log) = (DispatchQueue(label: "source"), Recorder<UInt>())
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let item = DispatchWorkItem { log.add(source.data) }
        source.setEventHandler(handler: item)
        source.activate()
        for value: UInt in 1...2 {
          source.add(data: value)
          log.wait(count: Int(value))
        }
        item.cancel()
        source.add(data: 3)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [1, 2])
        source.cancel()
      }
    }

    @Test("The target can be set before activation")
    func retarget() async {
      await isolated {
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let key = DispatchSpecificKey<Int>()
        second.setSpecific(key: key, value: 2)
        let log = Recorder<Int>()
        let source = DispatchSource.makeUserDataAddSource(queue: first)
        source.setEventHandler(qos: .utility, flags: .enforceQoS) { log.add(DispatchQueue.getSpecific(key: key) ?? 0) }
        (source as? DispatchSource)?.setTarget(queue: second)
        source.activate()
        source.add(data: 1)
        log.wait(count: 1)
        expectEqual(log.entries, [2])
        source.cancel()
      }
    }
  }
}
