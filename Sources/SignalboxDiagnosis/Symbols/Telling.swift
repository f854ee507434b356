// Telling.swift: reports under way: naming functions takes a helper process, and a program may end meanwhile. An orderly end waits.
import SignalboxSystem

/// Reports that are being put into words.
enum Telling {
  /// Runs `body`, which ends with a report. A process that ends in order meanwhile waits for it, for as long as naming may
  /// take; who ends the process inside of `body` would wait for itself, so no code of the program's is called there.
  static func whileTelling<R>(_ body: () throws -> R) rethrows -> R {
    _ = exitWaits
    // seq_cst: before anything is reported; pairs with the exit's reading of the count
    _ = count.addSeqCst(1)
    defer {
      // seq_cst: after everything was reported; pairs in the same way
      if count.addSeqCst(~0) == 1 { count.wake(count: .max) }
    }
    return try body()
  }

  private static let count = Atomic32(0)

  private static let exitWaits: Bool = Threads.onProcessExit {
    let end = Clock.uptime() &+ SymbolText.patience &+ 500_000_000
    while true {
      // acquire: pairs with the subtraction above: what was reported is written
      let seen = Telling.count.loadAcquire()
      guard seen > 0, Clock.uptime() < end else { return }
      Telling.count.park(expected: seen, deadline: .uptime(end))
    }
  }
}
