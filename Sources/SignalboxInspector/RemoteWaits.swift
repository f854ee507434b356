// RemoteWaits.swift: the wait of a thread in a process that is read from outside, by views of the words that its record
// names (SignalboxView). The record is RemoteRecords.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension DescribedCopy {
  enum WaitReading {
    case none, moves, broken
    case waits(WaitView)
  }

  /// The wait of a thread, and which could end it: the same in two readings, while the record stood. Tried a few times:
  /// a record may be written meanwhile.
  func wait(of slot: RemoteSlot, among threads: RemoteSlots) -> WaitReading {
    for _ in 0..<4 {
      switch record(of: slot.owner) {
      case .none: return .none
      case .broken: return .broken
      case .moves: continue
      case .waits(var wait):
        let first = wait.end(in: reading, among: threads)
        guard stands(wait.sequence, of: slot.owner) else { continue }
        // An end that has changed was one thread's and is another's by now: both may be wrong.
        wait.end = wait.end(in: reading, among: threads) == first ? first : .nothing
        guard stands(wait.sequence, of: slot.owner) else { continue }
        return .waits(wait)
      }
    }
    return .moves
  }

  /// The main thread; nil as long as it has not waited.
  var mainSlot: RemoteSlot? { slot(of: OwnerReader(reading).mainThread) }
}

/// The threads that have slots.
struct RemoteSlots: ThreadsView {
  let copy: DescribedCopy
  /// The kernel's number of the process, which its first thread has.
  let process: Int32
  let all: [RemoteSlot]

  var mainThread: Int32 { copy.mainSlot?.thread ?? process }
  func thread(_ owner: UInt64) -> Int32? { copy.slot(of: owner)?.thread }

  func waiters(inside object: UInt, except waiter: UInt64) -> [Int32] {
    all.compactMap { slot in
      guard slot.owner != waiter, case .waits(let wait) = copy.record(of: slot.owner), wait.isInside(object) else { return nil }
      return slot.thread
    }
  }
}
