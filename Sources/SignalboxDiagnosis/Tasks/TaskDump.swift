// TaskDump.swift: all tasks as text on standard error, also for a handler of a signal. A handler may neither allocate
// nor take a lock: so a thread of Signalbox's writes.
//
//   asked   how many dumps were asked for; the thread sleeps on it
//   written up to which of them all are written; those that ask sleep on it for a while
//
// No request is lost: the thread reads `asked` before it reads the tasks, and sleeps only while the word is what it has
// read. One dump answers all requests that came before it.
import SignalboxSystem
import SignalboxView
import SignalboxWaits

extension Tasks {
  /// Makes the thread that writes dumps, if there is none: to be called before a handler of a signal calls `dump()`.
  ///
  /// ```swift
  /// Tasks.prepareDump()
  /// signal(SIGUSR1) { _ in Tasks.dump() }
  /// ```
  ///
  /// - Note: Thread safety: any thread; not a handler. Where no thread can be made, nothing happens, and the next call
  ///   tries again.
  public static func prepareDump() { TaskDump.prepare() }

  /// Writes all tasks to standard error: what they do, for what they wait, and where. Tasks that do the same at the
  /// same place share a line.
  ///
  /// A thread of Signalbox's writes. The caller waits until it has, for five seconds at most. A handler may have
  /// interrupted the allocator, which that thread needs: then the thread writes after the handler has returned.
  ///
  /// ```swift
  /// Tasks.dump()  // to standard error
  /// ```
  ///
  /// - Note: Thread safety: any thread; after `prepareDump()` also a handler of a signal. `errno` stays as it was.
  public static func dump() { TaskDump.write() }
}

enum TaskDump {
  private static let asked = Atomic32(0), written = Atomic32(0)
  private static let isMade = Atomic32(0)
  /// How long a caller waits, in nanoseconds.
  private static var patience: UInt64 { 5_000_000_000 }

  static func prepare() {
    _ = (asked.loadRelaxed(), written.loadRelaxed())  // relaxed: made here, so that a handler does not have to
    // acquire-release: of several callers at once one makes it
    guard !Instruments.isForkedChild, isMade.exchangeAcqRel(1) == 0 else { return }
    do {
      try Threads.spawn(name: "signalbox.tasks", stackSize: 512 * 1024) { threadBody() }
    } catch {
      isMade.storeRelease(0)  // release: pairs with the exchange above; tried again at the next call
    }
  }

  /// Asks for a dump, and waits until it is written.
  static func write() {
    if Instruments.isForkedChild { return }
    if isMade.loadAcquire() == 0 { prepare() }  // acquire: pairs with the exchange there
    guard isMade.loadAcquire() == 1 else {  // acquire: the same
      return StandardError.write("signalbox: tasks: there is no thread to be had that would write them\n")
    }
    let deadline = Clock.uptime() &+ patience
    let mine = asked.addSeqCst(1) &+ 1  // seq_cst: before the thread sleeps on it, or it finds another number there
    asked.wake()
    while true {
      let done = written.loadAcquire()  // acquire: pairs with the release in `threadBody`
      if Int32(bitPattern: done &- mine) >= 0 || Clock.uptime() >= deadline { return }
      written.park(expected: done, deadline: .uptime(deadline))
    }
  }

  private static func threadBody() -> Never {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    var answered: UInt32 = 0
    while true {
      let now = asked.loadSeqCst()  // seq_cst: after the last dump; pairs with the addition in `write`
      guard now != answered else {
        asked.park(expected: now)
        continue
      }
      StandardError.write(text)
      answered = now
      written.storeRelease(now)  // release: pairs with the acquire in `write`
      written.wake(count: .max)
    }
  }

  private static var text: String {
    guard let set = TaskRows.own else { return "signalbox: tasks: there are none, or this runtime's are not known\n" }
    let found = TaskRows(set, wantsRunning: true), symbols = ReportSymbols(found.rows.flatMap(\.places))
    let count = found.rows.reduce(0) { $0 + $1.count }
    let cycles = found.cycles.map { "  deadlock:\($0.dropFirst())" }
    return (["signalbox: \(count) task\(count == 1 ? "" : "s")"] + cycles + found.rows.flatMap { $0.lines(symbols) })
      .map { "\($0)\n" }.joined()
  }
}
