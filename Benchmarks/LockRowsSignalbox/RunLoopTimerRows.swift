// RunLoopTimerRows.swift: Foundation's timers on the calling thread's loop: added, moved, invalidated, fired. Timer sources are
// TimerRows.swift, in RowsSignalbox.
import BenchSupport

func runLoopTimerRows() -> [Row] { armingRows() + firingRows() }

private func timer(_ date: Date, every interval: Double = 0, _ block: @escaping @Sendable () -> Void) -> Timer {
  let timer = Timer(fire: date, interval: interval, repeats: interval > 0) { _ in block() }
  RunLoop.current.add(timer, forMode: .default)
  return timer
}

private func armingRows() -> [Row] {
  [
    Row(
      "runloop-timer-cancel", .runLoops, "a timer is made, added to the loop and invalidated", bar: .notSlower,
      floor: .allocation(bytes: 96)
    ) {
      let date = Date(timeIntervalSinceNow: 3_600)
      return .timed { count in for _ in 0..<count { timer(date) { opaqueBody() }.invalidate() } }
    },
    Row(
      "runloop-timer-cancel-1k", .runLoops, "one of 1,000 timers is made and added; then all are invalidated", bar: .notSlower,
      floor: .allocation(bytes: 96), batch: .fixed(1_000)
    ) {
      .timed { count in _ = Fleet(count) }
    },
    Row(
      "runloop-timer-move", .runLoops, "one of 1,000 timers on the loop gets another date", bar: .notSlower, floor: .clock
    ) {
      let fleet = Fleet(1_000)
      return .timed { count in for move in 0..<count { fleet.move(move) } }
    },
  ]
}

private func firingRows() -> [Row] {
  [
    Row(
      "runloop-timer-fire", .runLoops, "a timer is added, due at once, and the loop is run until it has fired",
      bar: .notSlower, floor: .storedContext(bytes: 96), batch: .elastic(minimum: 50)
    ) {
      .timed { count in
        for _ in 0..<count {
          let fired = Firings(1)
          _ = timer(Date()) { fired.hit() }
          fired.runLoop()
        }
      }
    },
    Row(
      "runloop-timer-fire-1k", .runLoops, "one of 1,000 timers, 1 us apart, that are added in no order and fire",
      bar: .notSlower, floor: .storedContext(bytes: 96), batch: .fixed(1_000)
    ) {
      .timed { count in
        let fired = Firings(count), start = Date()
        // 7,919 is a prime: the dates come in no order.
        for number in 0..<count { _ = timer(start + Double(number * 7_919 % count) / 1e6) { fired.hit() } }
        fired.runLoop()
      }
    },
    Row(
      "runloop-timer-repeat-1k", .runLoops, "a firing of one of 1,000 timers that fire every 20 ms: processor time",
      bar: .notSlower, floor: .storedCall, batch: .fixed(5_000)
    ) {
      .selfTimed { count in
        let fired = Firings(count), start = Date(timeIntervalSinceNow: 0.02)
        let timers = (0..<1_000).map { timer(start + Double($0) * 2e-5, every: 0.02) { fired.hitIfAny() } }
        let begin = processorNanoseconds()
        fired.runLoop()
        let spent = processorNanoseconds() - begin
        for timer in timers { timer.invalidate() }
        return spent
      }
    },
  ]
}

/// Timers of an hour's time, added to the calling thread's loop in no order, and invalidated at the end.
private final class Fleet {
  private let start = Date(timeIntervalSinceNow: 3_600)
  private var timers: [Timer] = []

  init(_ count: Int) {
    let start = start
    timers = (0..<count).map { timer(start + Double($0 * 7_919 % count)) { opaqueBody() } }
  }

  deinit { for timer in timers { timer.invalidate() } }

  func move(_ number: Int) {
    timers[number * 7_919 % timers.count].fireDate = start + Double(number * 104_729 % 3_600)
  }
}
