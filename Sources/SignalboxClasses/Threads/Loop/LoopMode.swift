// LoopMode.swift: one mode of one loop, and what waits in a loop: entries, runs, the thread they belong to.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxSystem

/// A mode that a loop has heard of. Modes are numbered, and sets of modes are bits; the numbers are kept forever.
// SAFETY of @unchecked: `heap`, `inputs` and `observers` are guarded by the loop's lock; `alarm` and `isWatched` are used on the loop's thread
// only.
final class LoopMode: @unchecked Sendable {
  /// Bits of modes; above them lies `RunLoop.spinning`.
  static let limit = 62
  static let defaultIndex = 0, commonIndex = 1
  static let common: UInt64 = 1 << UInt64(commonIndex)

  let index: Int
  let mode: RunLoop.Mode
  let foundation: FoundationMode
  // Unchecked exclusivity here: the loop's lock is not recursive, so accesses cannot overlap.
  @exclusivity(unchecked) var heap = TimerHeap()
  var inputs = 0
  var observers = 0
  var alarm: FoundationAlarm?
  /// Whether a recorder hears of its phases. On the loop's thread only.
  var isWatched = false

  init(_ index: Int, _ mode: RunLoop.Mode) {
    (self.index, self.mode) = (index, mode)
    foundation = FoundationMode(mode)
  }

  var bit: UInt64 { 1 << UInt64(index) }
}

/// Those of a loop's modes that have a bit in a mask, one after the other. Allocates nothing.
struct LoopModes: Sequence, IteratorProtocol {
  private let modes: [LoopMode]
  private let mask: UInt64
  private var index = 0

  init(_ modes: [LoopMode], _ mask: UInt64) { (self.modes, self.mask) = (modes, mask) }

  mutating func next() -> LoopMode? {
    while index < modes.count {
      defer { index += 1 }
      if modes[index].bit & mask != 0 { return modes[index] }
    }
    return nil
  }
}

/// A block that waits for the loop to run in one of its modes. Taken: no modes.
struct LoopEntry {
  var modes: UInt64
  let number: UInt64
  var block: (() -> Void)?
}

/// One call of a run method, on the loop's stack of them.
struct LoopRun {
  let mode: LoopMode
  /// The modes it serves: its own, and the common ones if it is one of those.
  let mask: UInt64
  /// The uptime at which it ends.
  let limit: UInt64
  /// Whether it sleeps in Foundation's loop, which serves this loop meanwhile by calls.
  var isWaiting = false
  /// Whether such a call has done what a run returns after.
  var hasHandled = false
}

/// A call that a loop is to make later.
struct DelayedPerform {
  let target: ObjectIdentifier
  let name: String
  let timer: Timer
}

/// Whose loop it is.
struct LoopThread: Sendable {
  let isMain: Bool
  private let owner: UInt64
  private let id: UInt64

  /// The main thread's.
  static let main = LoopThread(isMain: true, owner: 0, id: UInt64(ProcessDescriptor.own))
  /// The calling thread's.
  static var current: LoopThread {
    LoopThread(isMain: MainThreadHost.isMainThread, owner: ThreadSlot.owner(), id: UInt64(ThreadSlot.kernelID()))
  }

  /// Whether the caller is that thread.
  var isCurrent: Bool { isMain ? MainThreadHost.isMainThread : ThreadSlot.current.pointee.owner == owner }

  /// The thread in the words of reports.
  var title: String { "thread \"\(KernelThread.name(id) ?? "ended")\" (\(id))" }
}
