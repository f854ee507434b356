// ThreadEndTests.swift: threads that end with something in their hands: which locks are named, and what exit() does inside of queues.
// In child processes: reports go to standard error.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses
@testable import SignalboxDiagnosis
@testable import SignalboxWaits

private typealias Thread = SignalboxFoundation.Thread
private typealias NSLock = SignalboxFoundation.NSLock
private typealias NSRecursiveLock = SignalboxFoundation.NSRecursiveLock
private typealias NSCondition = SignalboxFoundation.NSCondition

/// One of each kind of lock, kept forever. SAFETY: the word is allocated and never freed.
private struct Locks: @unchecked Sendable {
  let plain = NSLock(), recursive = NSRecursiveLock(), condition = NSCondition()
  let mutex = MutexLock(name: "ledger")
  let read = ReaderWriterLock(name: "book"), written = ReaderWriterLock(name: "page")
  let word = os_unfair_lock_t.allocate(capacity: 1)

  init() {
    word.initialize(to: os_unfair_lock())
    plain.name = "plain"
    recursive.name = "twice"
    condition.name = "condition"
  }

  func lockAll() {
    plain.lock()
    recursive.lock()
    recursive.lock()
    condition.lock()
    mutex.lock()
    read.readLock()
    written.writeLock()
    os_unfair_lock_lock(word)
  }
  func unlockAll() {
    os_unfair_lock_unlock(word)
    written.writeUnlock()
    read.readUnlock()
    mutex.unlock()
    condition.unlock()
    recursive.unlock()
    recursive.unlock()
    plain.unlock()
  }
}

@Suite("Threads that exit while they hold locks or queues") struct ThreadEndTests {
  /// Runs `body` on a thread named so, and returns when the kernel has that thread no more.
  private static func runToEnd(_ name: String, _ body: @escaping @Sendable () -> Void) {
    alarm(500)
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    let id = Locked<Int32>(0)
    let thread = Thread {
      id.access { $0 = ThreadSlot.kernelID() }
      body()
    }
    thread.name = name
    thread.start()
    guard eventually({ thread.isFinished && KernelThread.name(UInt64(id.value)) == nil }) else { exit(9) }
  }

  /// Whether the wait of the thread `owner` is on record, all of it.
  private static func hasRecorded(_ owner: UInt64) -> Bool {
    let record = Record(slot: owner & 0xFFFF)
    guard let sequence = record.stableSequence else { return false }
    return WaitRecord.isWaiting(owner) && record.stableSequence == sequence
  }

  @Test("A thread that ends with locks in its hands names each with the place where it was taken", arguments: [false, true])
  func named(_ exits: Bool) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [exits] in
      LockOrder.mode = .report
      let locks = Locks()
      Self.runToEnd("careless") {
        locks.lockAll()
        if exits { Thread.exit() }
      }
      exit(0)
    }
    let text = errorText(result)
    #expect(text.contains(/thread "careless" \(\d+\) ends and still holds NSLock 0x[0-9a-f]+ "plain", taken in .+/), "\(text)")
    for lock in [
      "NSRecursiveLock 0x[0-9a-f]+ \"twice\"", "NSCondition 0x[0-9a-f]+ \"condition\"", "mutex 0x[0-9a-f]+ \"ledger\"",
      "reader-writer lock, for reading 0x[0-9a-f]+ \"book\"", "reader-writer lock, for writing 0x[0-9a-f]+ \"page\"",
      "unfair lock 0x[0-9a-f]+",
    ] { #expect(text.firstMatch(of: try! Regex("; and \(lock), taken in ")) != nil, "\(lock): \(text)") }
    #expect(text.components(separatedBy: "ends and still holds").count == 2, "one line: \(text)")
  }

  @Test("A thread that has given its locks back is not reported, whether locks are checked or not", arguments: [false, true])
  func clean(_ isWatched: Bool) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isWatched] in
      LockOrder.mode = isWatched ? .report : .off
      let locks = Locks()
      for exits in [false, true] {
        Self.runToEnd("careful") {
          locks.lockAll()
          locks.unlockAll()
          if exits { Thread.exit() }
        }
      }
      exit(0)
    }
    #expect(!errorText(result).contains("still holds"), "\(errorText(result))")
  }

  @Test("Without the check, the lock that somebody waits for is named, with the waiter; and a lock that is being read")
  func waitedFor() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockOrder.mode = .off
      let locks = Locks()
      let waiter = Locked<UInt64>(0)
      Self.runToEnd("careless") {
        locks.mutex.lock()
        locks.read.readLock()
        try! Threads.spawn(name: "waiter") {
          waiter.access { $0 = ThreadSlot.owner() }
          locks.mutex.lock()
        }
        guard eventually({ waiter.value != 0 && Self.hasRecorded(waiter.value) }) else { exit(8) }
        Thread.exit()
      }
      exit(0)
    }
    let text = errorText(result)
    #expect(text.contains(/holds mutex 0x[0-9a-f]+ "ledger", for which thread "waiter" \(\d+\) waits; and reader/), "\(text)")
    #expect(text.contains(/; and reader-writer lock, for reading 0x[0-9a-f]+ "book": no other thread/), "\(text)")
  }

  @Test("The report of Thread.exit() inside of a queue's turn names the queue")
  func insideSync() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let queue = Signalbox.DispatchQueue(label: "left behind")
      Self.runToEnd("careless") { queue.sync { Thread.exit() } }
      exit(0)
    }
    expectReport(result, saying: "Thread.exit() was called inside of ", "left behind")
  }

  @Test("An item that calls Thread.exit() stops the program, as it would end a thread of the pool")
  func insideItem() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      Signalbox.DispatchQueue(label: "of the pool").async { Thread.exit() }
      while true { pause() }
    }
    expectStop(result, saying: "an item's thread belongs to the pool. Return from the item instead", "of the pool")
  }

  @Test("A block for a thread that has no loop is reported after a second, with the thread's name; its end ends the wait")
  func noLoop() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      alarm(500)
      let go = Gate()
      let thread = Thread { go.pass() }
      thread.name = "without a loop"
      thread.start()
      Thread.detachNewThread {
        sleepPlainly(milliseconds: 1_500)  // longer than the second after which it is reported
        go.open()
      }
      do { try thread.perform(waitUntilDone: true) {} } catch { exit(3) }
    }
    let text = errorText(result)
    #expect(text.contains(/left more than a second ago for .*name = without a loop}, which runs no loop/), "\(text)")
    #expect(text.components(separatedBy: "runs no loop").count == 2, "once: \(text)")
  }
}
