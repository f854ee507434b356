// LockHalves.swift: the rows about what is Foundation's, from both halves of the bench. Apart from
// BenchCommand.swift because the halves bring all names of Foundation with them.
import BenchSupport
import LockRowsSignalbox
import LockRowsToolchain

/// The rows about locks, operations, threads, run loops and notifications, as compiled on one library.
struct LockHalf {
  let rows: [Row]
  let trials: [LockTrial]
  /// What this half calls `NSLock`, with its module.
  let className: String
  /// What it must be called.
  let wantedClassName: String

  static var signalbox: LockHalf {
    LockHalf(
      rows: LockRowsSignalbox.lockRows() + LockRowsSignalbox.operationRows() + LockRowsSignalbox.threadRows()
        + LockRowsSignalbox.runLoopRows() + LockRowsSignalbox.notificationRows(),
      trials: LockRowsSignalbox.lockTrials(),
      className: LockRowsSignalbox.lockClassName(), wantedClassName: "SignalboxClasses.NSLock")
  }

  /// What sees how Signalbox's locks are wanted.
  static var counter: LockCounter { LockRowsSignalbox.lockCounter() }

  static var toolchain: LockHalf {
    LockHalf(
      rows: LockRowsToolchain.lockRows() + LockRowsToolchain.operationRows() + LockRowsToolchain.threadRows()
        + LockRowsToolchain.runLoopRows() + LockRowsToolchain.notificationRows(),
      trials: LockRowsToolchain.lockTrials(),
      className: LockRowsToolchain.lockClassName(), wantedClassName: "Foundation.NSLock")
  }
}
