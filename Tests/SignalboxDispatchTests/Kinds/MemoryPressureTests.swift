// MemoryPressureTests.swift: levels told to sources: injected ones, notices as from the kernel, and what is opened for them.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct MemoryPressureTests {
    typealias Event = DispatchSource.MemoryPressureEvent

    static func watched(_ mask: Event, _ log: EventLog<Event>) -> any DispatchSourceMemoryPressure {
      let source = DispatchSource.makeMemoryPressureSource(eventMask: mask, queue: DispatchQueue(label: "memory"))
      source.setEventHandler { log.add(source.data) }
      source.activate()
      return source
    }

    @Test("Each change of level is delivered once, to those who asked for it")
    func injected() {
      let (all, warnings) = (EventLog<Event>(), EventLog<Event>())
      let sources = [Self.watched(.all, all), Self.watched(.warning, warnings)]
      defer { MemoryPressure.inject(.normal) }
      for (level, event) in [(.warning, .warning), (.critical, .critical), (.normal, .normal)]
        as [(MemoryPressure.Level, Event)]
      {
        MemoryPressure.inject(level)
        MemoryPressure.inject(level)
        for source in sources { source.passQueue() }
        #expect(all.take() == [event])
      }
      #expect(warnings.all == [.warning])
      #expect(sources[0].mask == .all)
      for source in sources { source.cancelAndWait() }
    }

    @Test("While the handler is busy only the latest level counts")
    func latest() {
      let log = EventLog<Event>()
      let source = Self.watched(.all, log)
      source.suspend()
      for level in [.warning, .critical, .normal, .critical] as [MemoryPressure.Level] { MemoryPressure.inject(level) }
      source.resume()
      source.passQueue()
      #expect(log.all == [.critical])
      MemoryPressure.inject(.normal)
      source.cancelAndWait()
    }

    @Test("A notice of the kernel raises the level, and its end brings it back to normal")
    func notice() {
      PressureMonitor.shared.testsOnly_ignoreKernel(true)
      defer { PressureMonitor.shared.testsOnly_ignoreKernel(false) }
      let log = EventLog<Event>()
      let source = Self.watched(.all, log)
      PressureMonitor.shared.testsOnly_notice(.warning)
      #expect(eventually { log.all == [.warning, .normal] })
      source.cancelAndWait()
    }

    @Test("The machine's notices can be had here, or the refusal says why not; descriptors are open only while somebody asks")
    func opened() {
      #expect(PressureMonitor.shared.testsOnly_channelCount == 0)
      do {
        try DispatchSource.checkMemoryPressureSource()
      } catch {
        #expect(error.description.hasPrefix("the machine's memory pressure cannot be reported: "))
        return
      }
      #expect(PressureMonitor.shared.testsOnly_channelCount == 0)
      let (one, two) = (Self.watched(.all, EventLog()), Self.watched(.critical, EventLog()))
      let count = PressureMonitor.shared.testsOnly_channelCount
      #expect(count > 0 && count <= 4)
      one.cancelAndWait()
      #expect(PressureMonitor.shared.testsOnly_channelCount == count)
      two.cancelAndWait()
      #expect(PressureMonitor.shared.testsOnly_channelCount == 0)
      #expect(two.refusal == nil)
    }

    @Test("Without descriptors the source reports it, and still gets injected levels")
    func refused() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        try! passEventThread()
        var used: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { used.append(descriptor) }
        let log = EventLog<Event>()
        let source = MemoryPressureTests.watched(.all, log)
        #expect(source.refusal?.events == "the machine's memory pressure")
        #expect(!source.isCancelled)
        MemoryPressure.inject(.critical)
        source.passQueue()
        #expect(log.all == [.critical])
        for descriptor in used { close(descriptor) }
      }
      expectReport(result, saying: "the machine's memory pressure cannot be reported: open: ")
    }
  }
}
