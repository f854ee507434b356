// LoopTimerCore.swift: the state of one timer, and its steps: scheduled, taken by the loop, fired, moved to the next date, over.
// The API is Timer.swift; whose turn it is among several is TimerHeap.swift.
//
//   lock order: a loop's lock, then a timer's. The program's block runs under neither.
import Foundation
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

// SAFETY of @unchecked: everything mutable but the generation is guarded by `lock`.
final class LoopTimerCore: @unchecked Sendable {
  /// In a structure: the lock's functions hand that on as it is, where they would wrap a bare closure in memory of its own.
  struct Block {
    let call: @Sendable (Timer) -> Void
  }

  private let lock = UnfairLock()
  private let generationWord = Atomic64(0)
  let interval: Double

  /// In a structure, as the block.
  struct Info {
    let value: Any
  }
  private var info: Info?
  private var date: Date
  private var dueWord: UInt64
  private var toleranceWord: UInt64 = 0
  private var block: Block?
  /// While the timer is on a loop it keeps its own object.
  private var timer: Timer?
  private var loop: RunLoop?
  private var modes: UInt64 = 0
  private var isOver = false
  private var isFiring = false
  private var hasNewDate = false

  init(_ date: Date, interval: Double, userInfo: Any?, _ block: @escaping @Sendable (Timer) -> Void) {
    self.interval = interval
    info = userInfo.map { Info(value: $0) }
    self.date = date
    self.block = Block(call: block)
    dueWord = Self.uptime(of: date)
  }

  deinit { Events.emit(.forgotten, recordedPlace) }

  /// What events call it: by the address alone it could be a queue.
  var recordedPlace: UInt { UInt(Lent(self).address) | 1 }

  /// Entries with another number are stale. relaxed: changed under `lock`, and compared again under it before anything is done.
  var generation: UInt64 { generationWord.loadRelaxed() }
  // relaxed: only the thread that holds the lock writes; readers without it compare again under it.
  private func nextGeneration() { generationWord.storeRelaxed(generationWord.loadRelaxed() + 1) }

  /// Until the timer is over.
  var userInfo: Any? { lock.withLock { info }?.value }
  var isValid: Bool { lock.withLock { !isOver } }
  var fireDate: Date { lock.withLock { date } }
  var tolerance: UInt64 { lock.withLock { toleranceWord } }
  var place: (loop: RunLoop?, modes: UInt64) { lock.withLock { (loop, modes) } }

  private var entryAssumingLocked: HeapTimer {
    let latest = dueWord.addingReportingOverflow(toleranceWord)
    // relaxed: the lock is held, as by every thread that writes.
    return HeapTimer(
      core: self, due: dueWord, latest: latest.overflow ? .max : latest.partialValue, generation: generationWord.loadRelaxed())
  }

  /// The uptime of a date. A timer follows the uptime clock from then on: setting the wall clock does not move it.
  static func uptime(of date: Date) -> UInt64 {
    let seconds = date.timeIntervalSinceNow
    guard seconds > 0 else { return Clock.uptime() }
    return seconds < 9e9 ? Clock.uptime() + UInt64((seconds * 1e9).rounded(.up)) : FoundationAlarm.never - 1
  }

  // MARK: scheduling

  enum Joining {
    case entry(HeapTimer)
    case onOtherLoop(RunLoop)
    case nothing
  }

  /// The timer comes to `mode` of `loop`: the entry for that mode's heap.
  func join(_ loop: RunLoop, _ mode: UInt64, _ timer: Timer) -> Joining {
    lock.withLock {
      if let other = self.loop, other !== loop { return .onOtherLoop(other) }
      guard !isOver, modes & mode == 0 else { return .nothing }
      self.loop = loop
      self.timer = timer
      modes |= mode
      return isFiring ? .nothing : .entry(entryAssumingLocked)
    }
  }

  /// What the heaps of `loop` have to learn after a change.
  struct Change {
    let loop: RunLoop
    let modes: UInt64
    /// nil: older entries became stale, and there is no new one.
    let entry: HeapTimer?
  }

  /// A new date. While it fires, the loop is notified afterwards.
  func move(to date: Date) -> Change? {
    let due = Self.uptime(of: date)
    return lock.withLock {
      self.date = date
      dueWord = due
      hasNewDate = true
      return changeAssumingLocked()
    }
  }

  /// Another tolerance.
  func tolerate(_ nanoseconds: UInt64) -> Change? {
    lock.withLock {
      guard toleranceWord != nanoseconds else { return nil }
      toleranceWord = nanoseconds
      return changeAssumingLocked()
    }
  }

  private func changeAssumingLocked() -> Change? {
    nextGeneration()
    guard let loop, !isOver, !isFiring else { return nil }
    return Change(loop: loop, modes: modes, entry: entryAssumingLocked)
  }

  /// What is released when the timer is over, outside of all locks.
  struct Remains {
    let change: Change?
    let block: Block?
    let timer: Timer?
    let info: Info?
  }

  /// It fires no more. nil: it was over already.
  func end() -> Remains? {
    lock.withLock { isOver ? nil : endAssumingLocked() }
  }

  private func endAssumingLocked() -> Remains {
    isOver = true
    nextGeneration()
    let change = loop.map { Change(loop: $0, modes: modes, entry: nil) }
    let remains = Remains(change: change, block: block, timer: timer, info: info)
    (block, timer, loop, info) = (nil, nil, nil, nil)
    return remains
  }

  // MARK: firing

  /// Takes a due timer for firing; nil if the entry is stale or the timer fires right now, on the same thread further out.
  func beginFire(_ entry: HeapTimer) -> (timer: Timer, block: Block)? {
    lock.withLock {
      // relaxed: the lock is held, as by every thread that writes.
      guard generationWord.loadRelaxed() == entry.generation, !isOver, !isFiring, let timer, let block else { return nil }
      isFiring = true
      hasNewDate = false
      nextGeneration()  // its entries in other modes' heaps
      return (timer, block)
    }
  }

  /// What happens after the block has returned: over, or an entry for the next date.
  func endFire(now: UInt64) -> Remains? {
    lock.withLock {
      isFiring = false
      if isOver { return nil }
      guard let loop else { return nil }
      if !hasNewDate {
        if interval == 0 { return endAssumingLocked() }
        advanceAssumingLocked(now)
      }
      nextGeneration()
      return Remains(change: Change(loop: loop, modes: modes, entry: entryAssumingLocked), block: nil, timer: nil, info: nil)
    }
  }

  /// Dates that have passed meanwhile are left out: it fires once for all of them, and keeps to its grid.
  private func advanceAssumingLocked(_ now: UInt64) {
    let step = max(1, UInt64(min(interval, 9e9) * 1e9))
    let missed = now > dueWord ? (now - dueWord) / step : 0
    dueWord += (missed + 1) * step
    date += interval * Double(missed + 1)
  }

  /// For `fire()`: the block, while the timer is valid.
  var blockToFire: Block? { lock.withLock { isOver ? nil : block } }
}
