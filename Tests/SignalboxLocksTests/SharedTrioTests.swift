// SharedTrioTests.swift: three threads at the narrow moments of the reader-writer lock and of once. How they are played: Trio.swift.
//
// Above each scene stands the step that saves it: without that step the scene fails.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

/// A reader-writer lock, and threads that come to it.
private final class Book: Sendable {
  let lock = ReaderWriterLock()
  var state: ReaderWriterState { lock.state.hint() }

  func read(within milliseconds: Int64? = nil) {
    guard lock.readLock(until: milliseconds.map { .after(.milliseconds($0)) } ?? .never) else { return }
    lock.readUnlock()
  }
  func write(within milliseconds: Int64? = nil) {
    guard lock.writeLock(until: milliseconds.map { .after(.milliseconds($0)) } ?? .never) else { return }
    lock.writeUnlock()
  }
  /// A thread that reads and is about to leave.
  func reader(_ stage: Stage) -> Int {
    let index = stage.enter { self.read() }
    precondition(stage.run(index) { state.readers == 1 })
    return index
  }
  /// A thread that writes and is about to leave.
  func writer(_ stage: Stage) -> Int {
    let index = stage.enter { self.write() }
    precondition(stage.run(index) { state.isWriting })
    return index
  }
  var complaint: String? {
    let isAtRest = state.rawValue & ~ReaderWriterState.generation == 0 && lock.patientWriter.loadRelaxed() == 0
    return isAtRest ? nil : "somebody is counted in, or named, in the end: \(state)"
  }
}

/// Something that is to be done once.
private final class Ceremony: Sendable {
  struct Broken: Error {}
  let once = Once()
  let began = Count(), ended = Count()

  func attend(failing: Bool = false) {
    try? once.run { () throws(Broken) in
      began.add()
      if failing { throw Broken() }
      ended.add()
    }
  }
  /// A thread whose body has run, or has thrown, and which is about to say so.
  func runner(_ stage: Stage, failing: Bool) -> Int {
    let index = stage.enter { self.attend(failing: failing) }
    precondition(stage.run(index) { began.value == 1 })
    return index
  }
  var complaint: String? { once.isDone && ended.value == 1 ? nil : "done \(ended.value) times" }
}

@Suite("Three threads at a reader-writer lock or once flag, in every order") struct SharedTrioTests {
  // Saved by the last reader's check of what is left after it, which is when a writer that waits is woken.
  @Test("A reader-writer lock forgets nobody when the last reader leaves while a writer and a reader come")
  func lastReaderLeaves() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, _ in
        let book = Book(), reader = book.reader(stage)
        return TrioScene(racers: [reader, stage.enter { book.write() }, stage.enter { book.read() }]) { book.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by afterWriteGiveUp, which wakes the readers that waited only because of the last writer.
  @Test("A reader-writer lock forgets nobody when a writer's time comes while readers sleep, leave and come")
  func writerGivesUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let book = Book(), reader = book.reader(stage)
        let writer = stage.enter { book.write(within: time) }
        guard stage.park(writer), stage.park(stage.enter { book.read() }) else { return nil }
        stage.awaken(writer)
        return TrioScene(racers: [writer, reader, stage.enter { book.read() }]) { book.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by GN: a reader whose time has come checks first whether a leaving writer has made it a holder.
  @Test("A reader-writer lock forgets nobody when a reader's time comes while a writer leaves and another comes")
  func readerGivesUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let book = Book(), writer = book.writer(stage)
        let reader = stage.enter { book.read(within: time) }
        guard stage.park(reader) else { return nil }
        stage.awaken(reader)
        return TrioScene(racers: [reader, writer, stage.enter { book.write() }]) { book.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by afterWriteGiveUp, which takes HO back and passes on the wake that was meant for this writer.
  @Test("A reader-writer lock forgets nobody when a starving writer's time comes while the last reader leaves")
  func starvingWriterGivesUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let book = Book(), reader = book.reader(stage)
        LockTuning.patience = 1_000_000
        let starving = stage.enter { book.write(within: time) }
        guard stage.park(starving) else { return nil }
        stage.awaken(starving)
        LockTuning.patience = .max / 4
        guard stage.park(starving), book.state.isHandOff, stage.park(stage.enter { book.write() }) else { return nil }
        stage.awaken(starving)
        sleepPlainly(milliseconds: Int(time))  // woken to ask again, perhaps; its time comes while it is held
        return TrioScene(racers: [starving, reader, stage.enter { book.write() }]) { book.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by the wake that reaches all: no thread that is woken from a once wakes the next.
  @Test("A once forgets nobody when its runner ends while two others come to wait")
  func onceDone() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, _ in
        let ceremony = Ceremony(), runner = ceremony.runner(stage, failing: false)
        return TrioScene(racers: [runner, stage.enter { ceremony.attend() }, stage.enter { ceremony.attend() }]) {
          ceremony.complaint
        }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by the same: after an error one of the waiters runs its body, and the other must hear of both ends.
  @Test("A once forgets nobody when its runner's body fails while two others come to wait")
  func onceFailed() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, _ in
        let ceremony = Ceremony(), runner = ceremony.runner(stage, failing: true)
        return TrioScene(racers: [runner, stage.enter { ceremony.attend() }, stage.enter { ceremony.attend() }]) {
          ceremony.complaint
        }
      }
    }
    expectNoSchedule(result)
  }
}
#endif
