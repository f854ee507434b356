// Support.swift: threads, gates and patience for the diagnosis's tests, none of them Signalbox's own.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Waits until `condition` holds; ends the process loudly, with the waits that stand, when it does not come to.
func until(_ what: String, _ condition: () -> Bool) {
  guard !eventually(condition) else { return }
  Issue.record("gave up waiting: \(what)\n\(standingWaits())")
  StandardError.write("gave up waiting: \(what)\n")
  exit(9)
}

/// Starts a plain thread of the system; it is joined by `join()`, or left behind where it is to hang.
struct PlainThread: @unchecked Sendable {
  // SAFETY of @unchecked: the handle is only joined, and only once.
  private let handle: pthread_t

  @discardableResult init(_ name: String = "plain", _ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
      let call: @Sendable () -> Void
      init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }
    let box = Unmanaged.passRetained(
      Body {
        Threads.setName(name)
        body()
      })
    var made = pthread_t()
    let result = pthread_create(
      &made, nil,
      { raw in
        // SAFETY: the argument is the box that init retained; it is taken once.
        Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue().call()
        return nil
      }, box.toOpaque())
    precondition(result == 0, "no thread can be made (\(result))")
    handle = made
  }

  func join() { pthread_join(handle, nil) }
}

/// A number that threads share.
final class Count: Sendable {
  private let number: Atomic64
  init(_ value: UInt64 = 0) { number = Atomic64(value) }
  var value: UInt64 {
    get { number.loadAcquire() }
    set { number.storeRelease(newValue) }
  }
  @discardableResult func add(_ value: UInt64 = 1) -> UInt64 { number.addSeqCst(value) &+ value }
}

/// How many threads have left a record of a wait.
func waitingThreads() -> Int {
  var count = 0
  var slot: UInt64 = 1
  while slot <= WaitRecord.highest {
    if Record(slot: slot)[.what] != 0 { count += 1 }
    slot += 1
  }
  return count
}

/// The latest eight waits in words, for whoever waits in vain for their end.
func standingWaits() -> String {
  let records = (1...max(1, WaitRecord.highest)).map { Record(slot: $0) }.filter { $0[.what] != 0 }
  return records.sorted { $0[.since] < $1[.since] }.suffix(8).map { record in
    let words = (0..<record.wordCount).map { index -> String in
      let word = OwnerWord(bits: record[.words, index])
      return "\(word.reading) \(String(word.address, radix: 16)) -> \(OwnerReader().read(word))"
    }
    let frames = (0..<record.frameCount).map { String(record[.frames, $0], radix: 16) }
    return "slot \(record.slot): \(record.kind) of \(String(record[.object], radix: 16)), words \(words), inside \(frames)"
  }.joined(separator: "\n")
}

/// Collects the reports of this process, which goes on after each.
final class Reports: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `word`.
  private let word = Atomic32(0)
  private var list: [DeadlockReport] = []

  init() {
    LockOrder.mode = .off  // orders that contradict each other are what these tests are made of
    Deadlock.policy = .report
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)  // hundreds of reports in a row
    Deadlock.onDetection { [self] report in locked { list.append(report) } }
  }
  var all: [DeadlockReport] { locked { list } }

  private func locked<R>(_ body: () -> R) -> R {
    while !word.casAcquire(0, 1).exchanged { sched_yield() }
    defer { word.storeRelease(0) }
    return body()
  }
}
