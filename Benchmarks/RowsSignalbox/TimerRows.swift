// TimerRows.swift: timer sources and delays by the thousand: armed anew, cancelled, fired. Single ones are TimeRows.swift.
//
// Both libraries do part of this on threads of their own, so the rows count the processor time of the whole process, until all
// that was begun has been answered.
import BenchSupport

func timerRows() -> [Row] {
  let crowds = [1_000, 10_000, 100_000].flatMap { [armRow($0), cancelRow($0), fireRow($0), afterRow($0)] }
  return crowds + millionRows()
}

/// Some seconds per sample, most of them the wait for the first to fire; so `--quick` leaves them out.
private func millionRows() -> [Row] {
  [armRow(1_000_000), cancelRow(1_000_000), fireRow(1_000_000)].map { row in
    var row = row
    row.weight = .completing
    return row
  }
}

private func text(_ count: Int) -> String { count < 1_000_000 ? "\(count / 1_000)k" : "\(count / 1_000_000)m" }

/// Four times the toolchain's speed is asked for where there are many timers.
private func bar(_ count: Int) -> Bar { count >= 100_000 ? .ratio(4) : .notSlower }

private let movesPerCall = 20_000

private func armRow(_ count: Int) -> Row {
  Row(
    "timer-arm-\(text(count))", .time, "one of \(text(count)) armed timers is moved to another time", bar: bar(count),
    floor: .clock, batch: .fixed(movesPerCall)
  ) {
    var armed: Fleet?
    return .selfTimed { moves in
      // Fewer moves are asked for where nothing is measured: fewer timers will do then.
      let count = moves < movesPerCall ? min(moves, count) : count
      let fleet = armed?.timers.count == count ? armed! : Fleet(armed: count)
      armed = fleet
      let start = processorNanoseconds()
      for move in 0..<moves { fleet.scheduleFarAway(move * 7_919 % count, move) }
      fleet.settle()
      return processorNanoseconds() - start
    }
  }
}

private func cancelRow(_ count: Int) -> Row {
  Row(
    "timer-cancel-\(text(count))", .time,
    "one of \(text(count)) armed timers is cancelled, until all have called their handler and are freed",
    bar: bar(count), floor: .allocation(bytes: 96), batch: .fixed(count)
  ) {
    .selfTimed { count in
      var fleet: Fleet? = Fleet(armed: count)
      let start = processorNanoseconds()
      fleet?.cancel()
      fleet = nil  // else it would be the optimizer's choice whether they are freed in this time
      return processorNanoseconds() - start
    }
  }
}

private func fireRow(_ count: Int) -> Row {
  Row(
    "timer-fire-\(text(count))", .time, "one of \(text(count)) timers, 1 us apart, armed in no order, fires", bar: bar(count),
    floor: .storedContext(bytes: 96), batch: .fixed(count)
  ) {
    .selfTimed { count in
      let fleet = Fleet(count)
      fleet.activate()
      let start = processorNanoseconds()
      let first = DispatchTime.now() + .microseconds(10_000 + 4 * count)
      let fired = fleet.expectFires()
      for (number, timer) in fleet.timers.enumerated() {
        // 7,919 is a prime: the deadlines come in no order.
        timer.schedule(deadline: first + .microseconds(number * 7_919 % count))
      }
      fired.wait()
      return processorNanoseconds() - start
    }
  }
}

private func afterRow(_ count: Int) -> Row {
  Row(
    "async-after-\(text(count))", .time, "one of \(text(count)) delays, 1 us apart, armed in no order, runs", bar: bar(count),
    floor: .storedContext(bytes: 96), batch: .fixed(count)
  ) {
    let queue = DispatchQueue(label: "bench.delays")
    return .selfTimed { count in
      let start = processorNanoseconds()
      let first = DispatchTime.now() + .microseconds(5_000 + 2 * count)
      let ran = CountDown()
      ran.arm(count)
      for number in 0..<count { queue.asyncAfter(deadline: first + .microseconds(number * 7_919 % count)) { ran.hit() } }
      ran.wait()
      return processorNanoseconds() - start
    }
  }
}

/// Timers on a queue of their own; cancelled at the end, so that they do not weigh on others.
private final class Fleet {
  let timers: [any DispatchSourceTimer]
  private let queue = DispatchQueue(label: "bench.timers")
  private let base = DispatchTime.now() + .seconds(3_600)
  private var isCancelled = false

  init(_ count: Int) {
    let queue = queue
    timers = (0..<count).map { _ in DispatchSource.makeTimerSource(queue: queue) }
  }

  /// Active, and all armed for far away.
  convenience init(armed count: Int) {
    self.init(count)
    scheduleFarAway()
    activate()
    settle()
  }

  deinit { if !isCancelled { cancel() } }

  func activate() { for timer in timers { timer.activate() } }

  /// An hour away, all within an hour.
  func scheduleFarAway() { for index in timers.indices { scheduleFarAway(index, 0) } }

  func scheduleFarAway(_ index: Int, _ move: Int) {
    timers[index].schedule(deadline: base + .microseconds((index * 7_919 + move * 104_729) % 3_600_000_000))
  }

  /// Returns once what was begun before is done, as far as a caller can tell: a new timer has fired, and a while has
  /// passed.
  func settle() {
    let fired = CountDown()
    fired.arm(1)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { fired.hit() }
    timer.schedule(deadline: .now())
    timer.activate()
    fired.wait()
    timer.cancel()
    pause(microseconds: 2_000)
  }

  func expectFires() -> CountDown {
    let fired = CountDown()
    fired.arm(timers.count)
    for timer in timers { timer.setEventHandler { fired.hit() } }
    return fired
  }

  /// Cancels all; returns when all cancel handlers have run.
  func cancel() {
    isCancelled = true
    let ended = CountDown()
    ended.arm(timers.count)
    for timer in timers {
      timer.setCancelHandler { ended.hit() }
      timer.cancel()
    }
    ended.wait()
  }
}
