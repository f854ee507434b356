// RunLoopRows.swift: blocks left with a thread's loop, by others and by itself. Timers on loops are RunLoopTimerRows.swift.
//
// The toolchain's loop does not wake for a block, so its half is woken by Core Foundation's function, as its users have to.
import BenchSupport

/// All rows about run loops and their timers, on the library that this module is compiled on.
public func runLoopRows() -> [Row] { blockRows() + runLoopTimerRows() }

private func blockRows() -> [Row] {
  [
    Row(
      "runloop-perform", .runLoops, "a block left with another thread's loop, and its answer", bar: .notSlowerOrNearFloor,
      floor: .pollerEcho, batch: .elastic(minimum: 50)
    ) {
      let other = LoopThread(), answer = KernelSemaphore()
      return .timed { count in
        for _ in 0..<count {
          other.perform { answer.signal() }
          answer.wait()
        }
      }
    },
    Row(
      "runloop-perform-burst", .runLoops, "one of 1,000 blocks left with another thread's loop, which is woken once for all",
      bar: .notSlower, floor: .storedContext(bytes: 32), batch: .fixed(1_000)
    ) {
      let other = LoopThread(), haveRun = CountDown()
      return .timed { count in
        haveRun.arm(count)
        for _ in 0..<count { other.leave { haveRun.hit() } }
        other.wake()
        haveRun.wait()
      }
    },
    Row(
      "runloop-perform-inside", .runLoops, "a block that leaves the next one with its own loop", bar: .notSlower,
      floor: .storedContext(bytes: 32), batch: .elastic(minimum: 100)
    ) {
      .timed { count in
        let turns = Firings(count)
        turns.leaveNext()
        turns.runLoop()
      }
    },
    Row(
      "runloop-pass", .runLoops, "a run of the loop that finds nothing to do", bar: .none, floor: .clock,
      batch: .elastic(minimum: 100)
    ) {
      let waits = Keeper()
      return .timed { count in for _ in 0..<count { waits.pass() } }
    },
  ]
}

/// A timer that never comes, so that the loop has something to wait for.
final class Keeper {
  private let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
  init() { RunLoop.current.add(timer, forMode: .default) }
  deinit { timer.invalidate() }
  func pass() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
}

/// Counts what happens on the loop of one thread, and ends the run of the loop with the last of it.
// SAFETY of @unchecked: used on the thread that made it only.
final class Firings: @unchecked Sendable {
  private(set) var left: Int
  private let handle = LoopHelp.handle()
  init(_ count: Int) { left = count }

  func hit() {
    left -= 1
    if left == 0 { LoopHelp.endRun() }
  }

  /// The same where more may happen than was waited for.
  func hitIfAny() { if left > 0 { hit() } }

  func leaveNext() {
    RunLoop.current.perform {
      self.hit()
      if self.left > 0 { self.leaveNext() }
    }
    handle.wake()
  }

  /// Runs the thread's loop until nothing is left.
  func runLoop() {
    while left > 0 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
  }
}

/// A thread that runs its loop until no code needs it any more.
private final class LoopThread: Sendable {
  private let seat = LoopSeat()

  init() {
    let seat = seat
    Thread.detachNewThread { seat.serve() }
    seat.isUp.wait()
  }

  deinit {
    let seat = seat
    perform { seat.end() }
    seat.isDown.wait()
  }

  func leave(_ block: @escaping @Sendable () -> Void) { seat.loop.perform(block) }
  func wake() { seat.handle.wake() }
  func perform(_ block: @escaping @Sendable () -> Void) {
    leave(block)
    wake()
  }
}

// SAFETY of @unchecked: `loop` and `handle` are written before `isUp` and read after it; `isOver` belongs to the thread.
private final class LoopSeat: @unchecked Sendable {
  let isUp = KernelSemaphore(), isDown = KernelSemaphore()
  private(set) var loop: RunLoop!
  private(set) var handle: LoopHandle!
  private var isOver = false

  func serve() {
    (loop, handle) = (RunLoop.current, LoopHelp.handle())
    let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    loop.add(timer, forMode: .default)
    isUp.signal()
    while !isOver { _ = loop.run(mode: .default, before: .distantFuture) }
    timer.invalidate()
    isDown.signal()
  }

  /// On the thread.
  func end() {
    isOver = true
    LoopHelp.endRun()
  }
}
