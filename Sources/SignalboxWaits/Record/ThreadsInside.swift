// ThreadsInside.swift: what another thread is inside of, by its record or by the frames on its stack (ThreadFrame.swift).
import CSignalbox
import SignalboxSystem
import SignalboxWords

extension ThreadTable.Entry {
  /// Whether the thread is inside `object`: by its record while it waits with us, else by the frames on its stack, which stand
  /// still while it sleeps elsewhere. Of a running thread the answer may be wrong; it waits for nobody then.
  package func isInside(_ object: UInt) -> Bool {
    let record = Record(of: owner)
    if record[.what] != 0, record[.owner] == owner { return record.isInside(object) }
    return isInsideByFrames(object) || holdsForReading(object)
  }

  /// Whether a frame on the thread's stack is as wanted: right only while the thread stays inside of it.
  package func isInside(where isWanted: (FrameWord) -> Bool) -> Bool { frames.contains(where: isWanted) }

  /// Whether the thread runs items of `object`: right only while it stays inside of them.
  package func drains(_ object: UInt) -> Bool { isInside { $0.object == object && $0.kind.isDrain } }

  private func isInsideByFrames(_ object: UInt) -> Bool { frames.contains { $0.object == object } }

  private func holdsForReading(_ object: UInt) -> Bool {
    let place = self.record + UInt(SB_THREAD_SHARED)
    let count = min(SafeMemory.word64(place) ?? 0, 8)
    for index in 0..<UInt(count) where SafeMemory.word64(place + 8 + index * 8) == UInt64(object) { return true }
    return false
  }
}
