// DescriptionTests.swift: what `print` shows of lock objects: kind, name, address, holder.
import SignalboxLocks
import SignalboxSystem
import Testing

@Suite("Descriptions of locks") struct LockDescriptionTests {
  /// The text with every address as `@`.
  private func shown(_ lock: some CustomStringConvertible & CustomDebugStringConvertible) -> String {
    #expect(lock.debugDescription == lock.description)
    return lock.description.replacing(#/0x[0-9a-f]+/#, with: "@")
  }
  private var me: String { "held by thread \(ThreadSlot.kernelID())" }

  @Test("A mutex's description has its kind, and whether it is held")
  func mutexes() {
    #expect(shown(MutexLock(name: "accounts")) == "<MutexLock \"accounts\" @ free>")
    for (kind, word) in [(MutexLock.Kind.normal, ""), (.errorCheck, "error-checking, "), (.recursive, "recursive, ")] {
      let lock = MutexLock(kind: kind)
      #expect(shown(lock) == "<MutexLock @ \(word)free>")
      lock.withLock { #expect(shown(lock) == "<MutexLock @ \(word)\(me)>") }
      #expect(shown(lock) == "<MutexLock @ \(word)free>")
    }
  }

  @Test("A reader-writer lock's description has its readers and writers")
  func readersAndWriters() {
    let lock = ReaderWriterLock(name: "cache")
    #expect(shown(lock) == "<ReaderWriterLock \"cache\" @ free>")
    lock.withReadLock { lock.withReadLock { #expect(shown(lock) == "<ReaderWriterLock \"cache\" @ 2 readers>") } }
    lock.withWriteLock { #expect(shown(lock) == "<ReaderWriterLock \"cache\" @ \(me)>") }
  }

  @Test("The description of a lock does not show what it guards")
  func guarded() {
    let lock = OSAllocatedUnfairLock(initialState: "secret")
    #expect(shown(lock) == "<unfair lock @ free>")
    lock.withLock { _ in #expect(shown(lock) == "<unfair lock @ \(me)>") }
  }
}
