// ProcessSourceTests.swift: the end of processes in every state, forks and execs, and what is refused.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct ProcessSourceTests {
    typealias Event = DispatchSource.ProcessEvent

    /// A source with a log, active.
    static func watched(_ id: Int32, _ mask: Event, _ log: EventLog<Event>) -> any DispatchSourceProcess {
      let source = DispatchSource.makeProcessSource(identifier: id, eventMask: mask, queue: DispatchQueue(label: "processes"))
      source.setEventHandler { log.add(source.data) }
      source.activate()
      return source
    }

    /// A source for the end alone.
    static func watched(_ id: Int32, _ log: EventLog<Event>) -> any DispatchSourceProcess { watched(id, .exit, log) }

    @Test("The end of a child is delivered once, and its status stays for its parent")
    func child() throws {
      let (child, log) = (Child(), EventLog<Event>())
      let source = Self.watched(child.id, log)
      #expect(source.handle == child.id)
      #expect(source.mask == .exit)
      try passEventThread()
      source.passQueue()
      #expect(log.all.isEmpty)
      child.obey("exit 7")
      #expect(eventually { log.all == [.exit] })
      #expect(child.reap() >> 8 == 7)
      try passEventThread()
      source.passQueue()
      #expect(log.all == [.exit])
      source.cancelAndWait()
    }

    @Test("The end is delivered of a killed child, a stopped one that is killed, and one that was dead already")
    func states() {
      for prepare in [
        { (child: Child) in _ = kill(child.id, SIGKILL) },
        { child in
          _ = kill(child.id, SIGSTOP)
          var info = siginfo_t()
          waitid(P_PID, id_t(child.id), &info, WSTOPPED)
          _ = kill(child.id, SIGKILL)
        },
        { child in
          child.finish()
          child.awaitEnd()
        },
      ] as [(Child) -> Void] {
        let (child, log) = (Child(), EventLog<Event>())
        prepare(child)
        let source = Self.watched(child.id, log)
        #expect(eventually { log.all == [.exit] })
        child.reap()
        source.cancelAndWait()
      }
    }

    @Test("A child that stops and goes on has not ended")
    func stopped() throws {
      let (child, log) = (Child(), EventLog<Event>())
      let source = Self.watched(child.id, log)
      for (signal, state) in [(SIGSTOP, WSTOPPED), (SIGCONT, WCONTINUED)] {
        kill(child.id, signal)
        var info = siginfo_t()
        waitid(P_PID, id_t(child.id), &info, Int32(state))
      }
      try passEventThread()
      source.passQueue()
      #expect(log.all.isEmpty)
      child.reap()
      #expect(eventually { log.all == [.exit] })
      source.cancelAndWait()
    }

    @Test("A process that is gone gives its exit at once, and only if that is asked for")
    func gone() throws {
      let child = Child()
      child.reap()
      let (asked, other) = (EventLog<Event>(), EventLog<Event>())
      let sources = [Self.watched(child.id, .exit, asked), Self.watched(child.id, .fork, other)]
      #expect(eventually { asked.all == [.exit] })
      sources[1].passQueue()
      #expect(other.all.isEmpty)
      for source in sources { source.cancelAndWait() }
    }

    @Test(
      "The process that is meant is the one at the time of making, whoever has the number when the source is activated",
      .enabled(if: getuid() == 0))
    func reusedNumber() {
      let (child, log) = (Child(), EventLog<Event>())
      let source = DispatchSource.makeProcessSource(identifier: child.id, eventMask: .exit)
      source.setEventHandler { log.add(source.data) }
      child.reap()
      // The kernel gives the number after the last one next.
      var second: Child?
      for _ in 0..<50 where second?.id != child.id {
        second?.reap()
        guard let file = fopen("/proc/sys/kernel/ns_last_pid", "w") else { break }
        fputs("\(child.id - 1)", file)
        fclose(file)
        second = Child()
      }
      source.activate()
      #expect(eventually { log.all == [.exit] }, "the stranger (\(second?.id == child.id ? "same" : "other") number) lives")
      second?.reap()
      source.cancelAndWait()
    }

    @Test("Processes that are no children of ours, init and the program itself, have not ended")
    func others() throws {
      let log = EventLog<Event>()
      let sources = [1, getpid(), getppid()].map { Self.watched($0, log) }
      try passEventThread()
      for source in sources {
        source.passQueue()
        source.cancelAndWait()
      }
      #expect(log.all.isEmpty)
    }

    @Test("The end of a grandchild, whose parent is somebody else, is delivered")
    func grandchild() throws {
      let child = Child()
      let folder = TestFolder()
      child.obey("sleep 1000 & echo $! > \(folder.of("id.new")); mv \(folder.of("id.new")) \(folder.of("id"))")
      #expect(eventually { access(folder.of("id"), R_OK) == 0 })
      let id = try #require(Int32((Kernel.contents(folder.of("id")) ?? "").filter(\.isNumber)))
      let log = EventLog<Event>()
      let source = Self.watched(id, log)
      kill(id, SIGKILL)
      #expect(eventually { log.all == [.exit] })
      child.reap()
      source.cancelAndWait()
    }

    @Test("Two hundred children that end at once are two hundred events, and none is reaped by us")
    func crowd() {
      let children = (0..<200).map { _ in Child(["/bin/cat"]) }
      let logs = children.map { _ in EventLog<Event>() }
      let sources = zip(children, logs).map { Self.watched($0.id, $1) }
      for child in children { child.finish() }
      #expect(eventually { logs.allSatisfy { $0.all == [.exit] } })
      for child in children { #expect(child.reap() == 0) }
      for source in sources { source.cancelAndWait() }
    }

    static let tellsNews: Bool = {
      do { return (try DispatchSource.checkProcessSource(identifier: getpid(), eventMask: [.fork, .exec])) == () } catch {
        return false
      }
    }()

    @Test("Forks and execs of a child are delivered; its exit is the last event", .enabled(if: tellsNews))
    func news() {
      let (child, log, folder) = (Child(), EventLog<Event>(), TestFolder())
      // Its own exec of the shell may be reported after it was spawned: that is over when it obeys.
      child.obey(": > \(folder.of("ready"))")
      #expect(eventually { access(folder.of("ready"), F_OK) == 0 })
      let source = Self.watched(child.id, [.fork, .exec, .exit], log)
      child.obey("/bin/true; true")
      #expect(eventually { log.union == .fork })
      child.obey("exec /bin/cat")
      #expect(eventually { log.union == [.fork, .exec] })
      child.finish()
      #expect(eventually { log.union == [.fork, .exec, .exit] })
      #expect(log.all.last?.contains(.exit) == true)
      child.reap()
      source.cancelAndWait()
    }

    @Test("Forks of the program itself are delivered, but neither new threads nor other processes", .enabled(if: tellsNews))
    func ownNews() throws {
      let (own, other, bystander) = (EventLog<Event>(), EventLog<Event>(), Child())
      let sources = [Self.watched(getpid(), [.fork, .exec], own), Self.watched(bystander.id, [.fork, .exec, .exit], other)]
      // The bystander's own exec of the shell may be reported: it has happened before.
      bystander.obey(":")
      func pass() throws {
        ProcessNews.shared.handOut()
        try passEventThread()
        sources[0].passQueue()
      }
      try pass()
      _ = own.take()  // so may the bystander's fork
      for _ in 0..<4 { Self.runThread() }
      try pass()
      #expect(own.all.isEmpty)
      let child = Child(["/bin/true"])
      child.reap()
      #expect(eventually { own.all == [.fork] })
      sources[1].passQueue()
      #expect(!other.union.contains(.fork))
      for source in sources { source.cancelAndWait() }
      bystander.reap()
    }

    private static func runThread() {
      var thread = pthread_t()
      pthread_create(&thread, nil, { _ in nil }, nil)
      pthread_join(thread, nil)
    }

    @Test("Another process's signals are refused by name; its end is delivered all the same")
    func refusedSignals() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let (child, log) = (Child(), EventLog<Event>())
        let source = ProcessSourceTests.watched(child.id, [.exit, .signal], log)
        #expect(source.refusal == SourceRefusal(events: "signals of process \(child.id)", reason: .anotherProcess))
        #expect(!source.isCancelled)
        child.reap()
        #expect(eventually { log.all == [.exit] })
        let only = DispatchSource.makeProcessSource(identifier: getppid(), eventMask: .signal)
        let cancelled = Count()
        only.setCancelHandler { cancelled.add() }
        only.activate()
        #expect(eventually { cancelled.value == 1 })
      }
      expectReport(
        result, saying: "signals are reported for the program's own process only", "Its other events come",
        "The source is cancelled")
    }

    @Test("Ignored and handled signals of the own process are delivered; those that nobody handles still end it")
    func ownSignals() async {
      await #expect(processExitsWith: .signal(SIGTERM)) {
        killOnHang()
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2) { _ in }
        let log = EventLog<Event>()
        let source = ProcessSourceTests.watched(getpid(), [.signal, .exit], log)
        precondition(source.refusal == nil)
        for number in [SIGUSR1, SIGUSR2, SIGWINCH, SIGURG] {
          kill(getpid(), number)
          precondition(eventually { log.take() == [.signal] }, "signal \(number) is not reported")
        }
        source.cancelAndWait()
        kill(getpid(), SIGUSR1)
        let again = ProcessSourceTests.watched(getpid(), .signal, log)
        precondition(log.all.isEmpty)
        kill(getpid(), SIGTERM)
        withExtendedLifetime(again) { sleepForEver() }
      }
    }
  }
}
