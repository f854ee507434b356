// Loops.swift: a thread that runs its loop until the test is over, and what the tests ask of times.
import Testing

/// A thread of the test's own that runs its loop. The loop is kept awake by a timer that never comes.
// SAFETY: `loop` is written before the gate opens and read after it.
final class Runner: @unchecked Sendable {
  private(set) var loop: RunLoop!
  private let isUp = Gate()
  private let isOver = Gate()
  private var helper: Helper!

  init(_ modes: [RunLoop.Mode] = [.default]) {
    helper = onThread { [self] in
      loop = RunLoop.current
      for mode in modes { loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: mode) }
      isUp.open()
      while !isOver.isOpen {
        for mode in modes { _ = loop.run(mode: mode, before: Date(timeIntervalSinceNow: modes.count == 1 ? 1 : 0.005)) }
      }
    }
    isUp.wait()
  }

  /// Has the loop call `body`. The toolchain's does not wake for a block (Differences/run-loops.json): it runs for 1 s
  /// at most.
  func perform(_ body: @escaping @Sendable () -> Void) { loop.perform(body) }

  /// Lets the loop end and waits for the thread.
  func end() {
    isOver.open()
    loop.perform {}
    helper.join()
  }
}

/// Milliseconds since an uptime.
func milliseconds(since start: UInt64) -> Double { Double(Clock.uptime - start) / 1e6 }

extension RunLoop.Mode {
  /// A mode of the tests' own.
  static let aside = RunLoop.Mode("aside")
}
