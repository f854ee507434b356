// Tools.swift: what scenarios use in place of sleeps: gates, meetings, a crowd that counts itself, a thread seen asleep.
import Signalbox
import SignalboxCNames
import SignalboxSystem

/// Closed at first; once opened it lets every thread pass.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  /// Returns when the gate is open.
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// Returns to all only when all are there: proof that all of them ran at the same time.
final class Meeting: Sendable {
  private let missing: Counter
  private let gate = Gate()
  init(of parties: Int) { missing = Counter(parties) }
  func arrive() {
    if missing.add(-1) == 0 { gate.open() }
    gate.pass()
  }
}

/// A number that several threads change.
final class Counter: Sendable {
  private let word: Atomic64
  init(_ value: Int = 0) { word = Atomic64(UInt64(bitPattern: Int64(value))) }
  /// Adds and returns the sum.
  @discardableResult func add(_ number: Int) -> Int {
    let number = UInt64(bitPattern: Int64(number))
    while true {
      let old = word.loadSeqCst()  // seq_cst: scenarios read counters as if all threads took turns
      // acquire-release: pairs with the additions before and after, in the word's own order.
      if word.casAcqRel(old, old &+ number).exchanged { return Int(Int64(bitPattern: old &+ number)) }
    }
  }
  var value: Int { Int(Int64(bitPattern: word.loadSeqCst())) }  // seq_cst: as in `add`
}

/// How many threads are inside, and how many were at most. A thread that is to be alone stays inside for a moment
/// (`linger`): that gives a wrong neighbour time to come in, and a right answer does not depend on it.
final class Crowd: @unchecked Sendable {
  // SAFETY of @unchecked: touched only under `lock`.
  private let lock = UnfairLock()
  private var inside = 0, most = 0
  /// Runs `body` as a thread that is inside, and then stays there for this many milliseconds.
  func with(linger: UInt64 = 0, _ body: () -> Void) {
    lock.withLock {
      inside += 1
      most = max(most, inside)
    }
    body()
    if linger > 0 { pause(milliseconds: linger) }
    lock.withLock { inside -= 1 }
  }
  var peak: Int { lock.withLock { most } }
}

/// A value that several threads set and read.
final class Box<Value: Sendable>: @unchecked Sendable {
  // SAFETY of @unchecked: touched only under `lock`.
  private let lock = UnfairLock()
  private var stored: Value
  init(_ value: Value) { stored = value }
  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}

/// Says when it goes.
final class Witness: Sendable {
  private let last: @Sendable () -> Void
  init(_ last: @escaping @Sendable () -> Void) { self.last = last }
  deinit { last() }
}

/// A predicate of dispatch_once, as a static variable gives it in C.
final class OnceFlag: @unchecked Sendable {
  // SAFETY of @unchecked: the word is touched by dispatch_once only, which is made for several threads.
  private let word: UnsafeMutablePointer<dispatch_once_t>
  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }
  deinit { word.deallocate() }
  func run(_ block: () -> Void) { dispatch_once(word, block) }
}

extension Recorder {
  /// Starts a thread that does not belong to the pool, and returns what tells when it has ended.
  func thread(_ body: @escaping @Sendable () -> Void) -> Gate {
    let ended = Gate()
    do {
      try Threads.spawn {
        body()
        ended.open()
      }
    } catch {
      expect(false, "a thread for the scenario", "\(error)")
      ended.open()
    }
    return ended
  }

  /// Returns when the thread that noted `text` sleeps in the kernel, for this many samples a millisecond apart and
  /// without having run between them: it waits for what it was about to wait for. A thread that waits for a lock wakes
  /// every ten milliseconds, to see how long it has waited: there fewer samples must do.
  func awaitSleep(ofThreadThatNoted text: String, samples wanted: Int = 10) {
    var samples = 0
    var runTime: UInt64 = 0
    while samples < wanted {
      pause(milliseconds: 1)
      guard let event = events.first(where: { $0.text == text }), let thread = KernelThread.sample(UInt64(event.threadID))
      else { continue }
      samples = thread.isAsleep && thread.runTime == runTime ? samples + 1 : 0
      runTime = thread.runTime
    }
  }
}

/// Lets time pass without any wait that the library sees. Never what a verdict rests on.
func pause(milliseconds: UInt64) {
  let word = Atomic32(0)
  let end = Clock.uptime() + milliseconds * 1_000_000
  while Clock.uptime() < end { word.park(expected: 0, deadline: .uptime(end)) }
}

/// Keeps the main thread, so that the process ends by what the other threads do.
func waitForEver() -> Never { dispatchMain() }

/// Milliseconds as an interval of C's time functions.
func milliseconds(_ count: Int64) -> Int64 { count * Int64(NSEC_PER_MSEC) }

/// This many milliseconds from now.
func soon(_ count: Int64) -> dispatch_time_t { dispatch_time(DISPATCH_TIME_NOW, milliseconds(count)) }
