// SlotsView.swift: the wait of a thread, and which thread could end it, by the words that its record names, each read
// twice. The record is WaitRecordsView.swift.
import SignalboxSystem
import SignalboxWords

extension DescribedCopy {
  package enum WaitReading {
    case none, moves, broken
    case waits(WaitView)
  }

  /// The wait of a thread, and which could end it: the same in two readings, while the record stood. Tried a few times:
  /// a record may be written meanwhile.
  package func wait(of slot: ThreadPlace, among threads: SlotsView) -> WaitReading {
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
  package var mainSlot: ThreadPlace? { slot(of: OwnerReader(reading).mainThread) }
}

/// The threads that have slots.
package struct SlotsView: ThreadsView {
  package let copy: DescribedCopy
  /// The kernel's number of the process, which its first thread has.
  package let process: Int32
  package let all: [ThreadPlace]

  package init(copy: DescribedCopy, process: Int32, all: [ThreadPlace]) {
    (self.copy, self.process, self.all) = (copy, process, all)
  }

  package var mainThread: Int32 { copy.mainSlot?.thread ?? process }
  package func thread(_ owner: UInt64) -> Int32? { copy.slot(of: owner)?.thread }

  package func waiters(inside object: UInt, except waiter: UInt64) -> [Int32] {
    all.compactMap { slot in
      guard slot.owner != waiter, case .waits(let wait) = copy.record(of: slot.owner), wait.isInside(object) else { return nil }
      return slot.thread
    }
  }
}
