// HeldAtEnd+Untracked.swift: the same where locks are not tracked: what others wait for shows what a thread holds that ends. And a
// thread that ends inside of a queue's turn.
import CSignalbox
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

extension HeldAtEnd {
  /// The calling thread ends, and locks are not tracked: names what others wait for and it alone could give back, and what it
  /// reads.
  package static func reportUntracked() {
    guard !Instruments.isForkedChild, Instruments.byte & Instruments.lockTracking == 0 else { return }
    let held = wanted(of: ThreadSlot.current.pointee.owner) + read
    if !held.isEmpty { tell(held) }
  }

  /// The calling thread is about to end within whatever it is inside of. The records of that lie on its stack: they are let go of.
  package static func exits() {
    let thread = ThreadSlot.current
    var (queues, isOfPool) = ([String](), false)
    var frame = thread.innermostFrame
    while let here = frame {
      queues.append(ObjectNaming.name(of: here.pointee.word))
      isOfPool = isOfPool || !Threads.isMain && here.pointee.kind.isDrain
      frame = here.pointee.previous
    }
    guard !queues.isEmpty else { return }
    let text = "Thread.exit() was called inside of \(queues.joined(separator: ", inside of "))"
    if isOfPool { Misuse.stop("\(text): an item's thread belongs to the pool. Return from the item instead") }
    Misuse.report("\(text), whose turn no other thread can give back: return from it instead")
    thread.innermostFrame = nil
  }

  /// What others wait for at this moment and the words of which name `owner`.
  private static func wanted(of owner: UInt64) -> [String] {
    var found: [String] = []
    var slot: UInt64 = 1
    while owner != 0, slot <= WaitRecord.highest {
      defer { slot += 1 }
      let record = Record(slot: slot)
      guard record[.what] != 0, record[.owner] != owner, let sequence = record.stableSequence else { continue }
      let (kind, object, waiter) = (record.kind, UInt(record[.object]), record[.tid])
      guard kind.hasOwner, isNamed(owner, by: record), record.stableSequence == sequence else { continue }
      let name = KernelThread.name(waiter).map { " \"\($0)\"" } ?? ""
      found.append("\(ObjectNaming.name(kind, object)), for which thread\(name) (\(waiter)) waits")
    }
    return found
  }

  private static func isNamed(_ owner: UInt64, by record: Record) -> Bool {
    guard record.wordCount > 0 else { return false }
    let word = OwnerWord(bits: record[.words, 0])
    return [.lock, .once, .readerWriter].contains(word.reading) && OwnerReader().read(word).owner == owner
  }

  /// The reader-writer locks that it holds for reading. A parallel loop whose body it runs is read alike.
  private static var read: [String] {
    let thread = ThreadSlot.current
    let list = sb_thread_shared(thread)
    return (0..<min(Int(thread.pointee.shared_count), Int(SB_WAIT_SHARED))).filter { list[$0] != 0 }
      .map { LockNames.describe(.readLock, UInt(list[$0])) }
  }
}
