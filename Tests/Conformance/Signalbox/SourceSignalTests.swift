// SourceSignalTests.swift: signal sources where both libraries agree. That ours also hears of signals that are ignored later, or
// handled, is tested with the engine's own tests.
import Glibc
import Testing

/// Both libraries' tests run in one process, and a signal is the process's: each library has its own.
private let ignoredSignal: Int32 = subjectIsOurs ? 40 : 42
private let otherSignal: Int32 = subjectIsOurs ? 41 : 43

extension Conformance {
  @Suite("Signal sources") struct SourceSignal {
    @Test("A signal that the program ignores fires; several sources all fire")
    func ignored() async {
      await isolated {
        signal(ignoredSignal, SIG_IGN)
        let (queue, log, ended) = (DispatchQueue(label: "signal"), Recorder<String>(), DispatchGroup())
        let sources = ["first", "second"].map { name in
          let source = DispatchSource.makeSignalSource(signal: ignoredSignal, queue: queue)
          source.setEventHandler { log.add("\(name) \(source.data)") }
          source.setCancelHandler { ended.leave() }
          ended.enter()
          let registered = Gate()
          source.setRegistrationHandler { registered.open() }
          source.activate()
          registered.wait()
          expectEqual(source.handle, UInt(ignoredSignal))
          return source
        }
        waitForWhatMustNotCome()  // the toolchain's may not listen yet
        kill(getpid(), ignoredSignal)
        log.wait(count: 2)
        expectEqual(log.entries.sorted(), ["first 1", "second 1"])
        sources[0].cancel()
        waitForWhatMustNotCome()
        kill(getpid(), ignoredSignal)
        log.wait(count: 3)
        expectEqual(log.entries.last, "second 1")
        sources[1].cancel()
        expect(ended.wait(timeout: .now() + .seconds(patience)) == .success)
      }
    }

    @Test("While there is a source, a signal's default action is not taken")
    func byDefault() async {
      await isolated {
        signal(otherSignal, SIG_DFL)
        let (queue, log) = (DispatchQueue(label: "signal"), Recorder<UInt>())
        let source = DispatchSource.makeSignalSource(signal: otherSignal, queue: queue)
        let (registered, ended) = (Gate(), Gate())
        source.setEventHandler { log.add(source.data) }
        source.setRegistrationHandler { registered.open() }
        source.setCancelHandler { ended.open() }
        source.activate()
        registered.wait()
        waitForWhatMustNotCome()
        for count in 1...3 {
          kill(getpid(), otherSignal)
          log.wait(count: count)
        }
        expectEqual(log.entries, [1, 1, 1])
        signal(otherSignal, SIG_IGN)
        source.cancel()
        ended.wait()
      }
    }
  }
}
