// ForeignCycleDetector.swift: the thread that searches for cycles which close where Signalbox does not park: in the C
// library's mutexes. When a scan is due is ScanSchedule.swift, what it scans MixedWalk.swift.
//
// One thread, made at first need. It has a timer only while something is outstanding: a wait of Signalbox's without
// limit, or a running item of the pool, that has not had its scans; an appointment. It sleeps on `word` until a thread
// begins one, or until what is due later than in a second.
import SignalboxSystem
import SignalboxWaits

/// The search for cycles through the C library's mutexes.
public enum ForeignCycleDetector {
  /// Called with each cycle that two scans at least half a second apart have found unchanged; once per cycle, on the monitor's
  /// thread. With nil, the default, the cycle is reported like any other deadlock (`Deadlock`).
  ///
  /// Thread safety: any thread may set it.
  public static var onCycle: (@Sendable (MixedCycle) -> Void)? {
    get { Stored<Handler>.get(handler)?.call }
    set { Stored.set(handler, newValue.map(Handler.init)) }
  }

  /// See `MonitorWord`.
  @inline(__always) package static func noticed() { MonitorWord.noticed() }

  /// Has `body` called on the monitor's thread at `time` of uptime, or at most a second later. It must be brief, and wait for
  /// nothing that a stuck thread of the program might hold.
  package static func call(at time: UInt64, _ body: @escaping @Sendable () -> Void) {
    Appointments.add(time, body)
    noticed()
  }

  // MARK: the thread

  private static var asleep: UInt32 { MonitorWord.asleep }
  private static var awake: UInt32 { MonitorWord.awake }
  private static let isMade = Atomic32(0)
  private static let handler = Atomic64(0)

  @inline(never) static func wake() {
    if ThreadSlot.current.pointee.engine != nil { return }  // an exploration sees cycles by itself
    // The explorer knows at once that no thread can go on: one that looks up again and again would only be in its way.
    if Exploration.isOfProgram, Appointments.next == nil { return }
    // acquire-release: of several threads that come at once, one does it.
    guard MonitorWord.word.casAcqRel(asleep, awake).exchanged else { return }
    guard isMade.exchangeAcqRel(1) == 0 else {
      MonitorWord.word.wake()
      return
    }
    // A program that ignores deadlocks has no use for scans.
    // release: nothing is read through the word; W1 (Diagnosing.swift) finds it neither asleep nor awake
    if Environment.value("SIGNALBOX_DEADLOCK") == "ignore" { return MonitorWord.word.storeRelease(MonitorWord.off) }
    do {
      try Threads.spawn(name: "signalbox.cycle", stackSize: 512 * 1024) { threadBody() }
    } catch {
      // Tried again at the next wait; until then such cycles go unnoticed.
      // release, both: pairs with the exchanges above: the next caller that wakes finds no thread made
      isMade.storeRelease(0)
      MonitorWord.word.storeRelease(asleep)
    }
  }

  private static func threadBody() -> Never {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    var scans: Scans?
    let pause = Atomic32(0)
    while true {
      if let due = round(&scans), due <= Clock.uptime() &+ Scans.longestPause {
        // What begins meanwhile is found by the next round: no thread need be woken for it.
        pause.park(expected: 0, deadline: .uptime(due))
        continue
      }
      MonitorWord.word.storeSeqCst(asleep)  // seq_cst W2: pairs with W1 of Diagnosing.swift
      let due = round(&scans)
      if due.map({ $0 > Clock.uptime() &+ Scans.longestPause }) ?? true {
        let deadline = due.map { ParkDeadline.uptime($0) } ?? .never
        // acquire: pairs with the swap in `wakeSlow`
        while MonitorWord.word.loadAcquire() == asleep {
          if MonitorWord.word.park(expected: asleep, deadline: deadline) == .timedOut { break }
        }
      }
      MonitorWord.word.storeSeqCst(awake)  // seq_cst W2: only so that the word has one order
    }
  }

  /// A round of scans. Without memory it is left out, and tried again.
  private static func round(_ scans: inout Scans?) -> UInt64? {
    MemoryReserve.lend {
      var mine = scans ?? Scans()
      scans = nil  // one reference: nothing is copied
      defer { scans = mine }
      return mine.round()
    } ?? Clock.uptime() &+ Scans.longestPause
  }

  /// What the thread knows from one scan to the next.
  private struct Scans {
    /// While something is due within this many nanoseconds no thread wakes the monitor: what begins in between is due
    /// later than that.
    static let longestPause: UInt64 = 1_000_000_000
    var schedule = ScanSchedule()
    var suspicions = Suspicions()
    var operationCycles = CycleScans()

    /// Scans what is due, and says when to come again; nil: nothing is outstanding.
    mutating func round() -> UInt64? {
      let now = Clock.uptime()
      Appointments.keep(now)
      operationCycles.begin()
      let threads = noteWaits(now) + noteItems(now) + suspicions.threads(dueBy: now)
      schedule.endRound()
      if !threads.isEmpty {
        let cycles = suspicions.confirm(MixedWalk.cycles(from: threads), now: now)
        let tell = ForeignCycleDetector.onCycle ?? { Deadlock.tell($0) }
        for cycle in cycles { OwnThreads.calling { tell(cycle) } }
      }
      return [schedule.next, suspicions.next, operationCycles.round(now), Appointments.next].compactMap { $0 }.min()
    }

    /// Threads whose wait is due for a scan.
    private mutating func noteWaits(_ now: UInt64) -> [Int32] {
      var due: [Int32] = []
      for slot in 0...WaitRecord.highest {
        let record = Record(slot: slot)
        guard let sequence = record.stableSequence, record.kind != .none, !record.isTimed else { continue }
        let (since, thread, kind) = (record[.since], Int32(truncatingIfNeeded: record[.tid]), record.kind)
        guard record.stableSequence == sequence else { continue }
        if kind.isOfOperations { operationCycles.note(slot: slot, stamp: sequence, since: since, now: now) }
        if schedule.note(.wait(slot: slot), stamp: sequence, since: since, now: now) == .scan { due.append(thread) }
      }
      return due
    }

    /// Threads of the pool whose item is due for a scan.
    private mutating func noteItems(_ now: UInt64) -> [Int32] {
      var due: [Int32] = []
      Layers.forEach { layer in
        layer.forEachItem { thread, item in
          switch schedule.note(.item(thread: thread), stamp: item, since: now, now: now) {
          case .nothing: break
          case .begun: layer.awaitEnd(ofItemOn: thread)
          case .scan: due.append(thread)
          }
        }
      }
      return due
    }
  }

  // MARK: what was given

  private final class Handler: Sendable {
    let call: @Sendable (MixedCycle) -> Void
    init(_ call: @escaping @Sendable (MixedCycle) -> Void) { self.call = call }
  }

  /// A reference in an atomic word.
  private enum Stored<Object: AnyObject> {
    static func get(_ cell: borrowing Atomic64) -> Object? {
      // acquire O1: pairs with O2; the object is whole. SAFETY: what was once stored is never released.
      // acquire O1: pairs with O2
      UnsafeRawPointer(bitPattern: UInt(cell.loadAcquire())).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }
    static func set(_ cell: borrowing Atomic64, _ object: Object?) {
      // release O2: pairs with O1. The old one stays: a thread may be about to use it, and there are few of them.
      cell.storeRelease(object.map { UInt64(UInt(bitPattern: Unmanaged.passRetained($0).toOpaque())) } ?? 0)
    }
  }
}
