// BusyWorkersTests.swift: events while all processors are busy with workers, which poll for them in the event thread's
// stead.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Keeps every worker busy with short items until told to stop.
private final class Load: Sendable {
  private let isOver = Atomic32(0)
  private let left = DispatchGroup()

  init() { for _ in 0..<4 * Tuning.processors { go() } }

  private func go() {
    DispatchQueue.global().async(group: left) {
      let end = Clock.uptime() + 3_000
      while Clock.uptime() < end {}
      if self.isOver.loadRelaxed() == 0 { self.go() }
    }
  }

  func stop() {
    isOver.storeRelaxed(1)
    left.wait()
  }
}

/// Workers with work that waits for them, on fewer processors than there are.
private final class Behind: Workforce {
  let isSaturated = false
  let hasSharedWork = true
}

/// A byte that goes to and fro through pipes: each source answers the other's byte.
private final class Rally: Sendable {
  let turns = Count()
  private let sources: [any DispatchSourceRead]
  private let ends: [Int32]
  private let ended = DispatchGroup()

  init() {
    var (there, back): ([Int32], [Int32]) = ([0, 0], [0, 0])
    precondition(pipe(&there) == 0 && pipe(&back) == 0, "no pipes for a test")
    ends = there + back
    var sources: [any DispatchSourceRead] = []
    for (input, output) in [(there[0], back[1]), (back[0], there[1])] {
      let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: DispatchQueue(label: "rally"))
      source.setEventHandler { [turns] in
        var byte: UInt8 = 0
        if read(input, &byte, 1) == 1 { _ = write(output, &byte, 1) }
        turns.add()
      }
      ended.enter()
      source.setCancelHandler { [ended] in ended.leave() }
      source.activate()
      sources.append(source)
    }
    self.sources = sources
    _ = write(there[1], "x", 1)
  }

  func end() {
    for source in sources { source.cancel() }
    ended.wait()
    for end in ends { close(end) }
  }
}

@Suite("Events arrive while all processors are busy", .serialized) struct BusyWorkersTests {
  @Test("While events keep every processor busy, workers that run out of work poll for the next by themselves")
  func workersPoll() { expectPolls() }

  @Test("The same while other threads take processors, so that a worker that was woken does not run yet")
  func workersPollBesideOthers() {
    let isOver = Atomic32(0)
    let others = (0..<Tuning.processors).map { _ in TestThread { while isOver.loadRelaxed() == 0 {} } }
    expectPolls()
    isOver.storeRelaxed(1)
    for thread in others { thread.join() }
  }

  private func expectPolls() {
    // Nothing but events: beside work of another kind the workers would not run out of it, and not have to poll.
    let rallies = (0..<64).map { _ in Rally() }
    let before = EventThread.shared.polls.loadRelaxed()
    #expect(eventually { EventThread.shared.polls.loadRelaxed() > before + 10 })
    let turns = rallies.map(\.turns.value)
    #expect(eventually { zip(rallies, turns).allSatisfy { $0.turns.value > $1 + 10 } })
    for rally in rallies { rally.end() }
  }

  @Test("While work waits for a worker the event thread leaves events to workers, though some processor has none that runs")
  func leavesEventsWhileWorkWaits() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      DispatchQueue.global().sync {}  // the pool says that it serves, and from now on another does
      let force = Behind()
      EventThread.shared.isServed(by: force)
      // Ready forever, as no thread reads.
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0 && write(ends[1], "x", 1) == 1, "no pipe for a test")
      let watch = try EventThread.shared.watch(ends[0], for: [.readable, .urgent]) { _ in }
      #expect(
        eventually {
          _ = EventThread.shared.pollIfAway()
          return EventThread.shared.polls.loadRelaxed() > 10
        })
      watch.cancel()
    }
  }

  @Test("If no worker polls, the event thread comes back by itself, though work waits")
  func comesBack() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      DispatchQueue.global().sync {}  // the pool says that it serves, and from now on another does
      let force = Behind(), told = Count()
      EventThread.shared.isServed(by: force)
      // Ready forever, as it is never read: the thread goes away with each event.
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0 && write(ends[1], "x", 1) == 1, "no pipe for a test")
      let watch = try EventThread.shared.watch(ends[0], for: [.readable, .urgent]) { _ in told.add() }
      #expect(eventually { told.value >= 10 })
      watch.cancel()
    }
  }

  @Test("Busy workers lose no event: every byte comes back, and timers fire meanwhile")
  func nothingIsLost() {
    let load = Load()
    let rallies = (0..<32).map { _ in Rally() }
    let ticks = Count()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { ticks.add() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.activate()
    #expect(eventually { rallies.allSatisfy { $0.turns.value >= 200 } && ticks.value >= 20 })
    load.stop()
    timer.cancel()
    for rally in rallies { rally.end() }
  }

  @Test("An urgent event of a file of ours is delivered on the event thread, whoever has found it")
  func urgent() throws {
    let (ours, theirs) = tcpConnection()
    let (told, thread, strangers) = (Count(), Count(), Count())
    let load = Load()
    let rallies = (0..<8).map { _ in Rally() }
    let watch = try EventThread.shared.watch(ours, for: .urgent) { _ in
      var byte: UInt8 = 0
      guard recv(ours, &byte, 1, Int32(MSG_OOB)) == 1 else { return }
      let me = UInt64(ThreadSlot.current.pointee.tid)
      if thread.value == 0 { thread.value = me }
      if thread.value != me { strangers.add() }
      told.add()
    }
    for round in 1...50 as ClosedRange<UInt64> {
      #expect(send(theirs, "!", 1, Int32(MSG_OOB)) == 1)
      #expect(eventually { told.value == round })
    }
    #expect(strangers.value == 0)
    load.stop()
    for rally in rallies { rally.end() }
    let ended = DispatchSemaphore(value: 0)
    watch.cancel { ended.signal() }
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    close(ours)
    close(theirs)
  }
}
