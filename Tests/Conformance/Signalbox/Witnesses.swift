// Witnesses.swift: what a test body sees with: a log, a door, a count of those inside, a probe of destruction.
// What it says about that is in Findings.swift.
import Testing

/// How long a test waits for what must happen; only a failure ever takes that long.
let patience = 120

/// A log that threads write and a test reads.
final class Recorder<Entry: Sendable>: Sendable {
  private let log = Monitor<[Entry]>([])

  var entries: [Entry] { log.access { $0 } }
  var count: Int { log.access { $0.count } }

  func add(_ entry: Entry) {
    log.access { $0.append(entry) }
  }

  /// Waits until the log has `count` entries; reports when it never does.
  func wait(count: Int, at location: SourceLocation = #_sourceLocation) {
    if !log.wait(seconds: patience, until: { $0.count >= count }) {
      report("only \(self.count) of \(count) entries were logged within \(patience) s", at: location)
    }
  }
}

/// A door that opens once.
final class Gate: Sendable {
  private let state = Monitor(false)

  var isOpen: Bool { state.access { $0 } }

  func open() {
    state.access { $0 = true }
  }

  /// Waits until somebody opens the door; reports when nobody does.
  func wait(at location: SourceLocation = #_sourceLocation) {
    if !state.wait(seconds: patience, until: { $0 }) { report("nobody came within \(patience) s", at: location) }
  }

  /// Keeps a processor busy until the door opens, checking seldom enough never to sleep over it.
  func compute() {
    while !isOpen {
      let next = Clock.uptime + 3_000_000
      while Clock.uptime < next {}
    }
  }
}

/// A place where `members` threads wait for one another: all pass only if all are there at once.
final class Meeting: Sendable {
  private let members: Int
  private let arrived = Monitor(0)

  init(of members: Int) {
    self.members = members
  }

  func attend(at location: SourceLocation = #_sourceLocation) {
    arrived.access { $0 += 1 }
    if !arrived.wait(seconds: patience, until: { $0 >= members }) {
      report("fewer than \(members) ran at once", at: location)
    }
  }
}

/// A number that threads add to.
final class Counter: Sendable {
  private let number = Monitor(0)

  var value: Int { number.access { $0 } }

  func add(_ amount: Int = 1) {
    number.access { $0 += amount }
  }
}

/// Counts who is inside at one time: readers, who may be many, and writers, who must be alone.
final class Room: Sendable {
  private struct State {
    var readers = 0
    var writers = 0
    var mostReaders = 0
    var intrusions = 0
    var visits = 0
  }
  private let state = Monitor(State())

  var mostReaders: Int { state.access { $0.mostReaders } }
  /// How often a writer was not alone.
  var intrusions: Int { state.access { $0.intrusions } }
  var visits: Int { state.access { $0.visits } }

  func read() {
    state.access {
      $0.readers += 1
      $0.visits += 1
      $0.mostReaders = max($0.mostReaders, $0.readers)
      if $0.writers > 0 { $0.intrusions += 1 }
    }
    spin()
    state.access { $0.readers -= 1 }
  }

  func write() {
    state.access {
      $0.writers += 1
      $0.visits += 1
      if $0.writers > 1 || $0.readers > 0 { $0.intrusions += 1 }
    }
    spin()
    state.access { $0.writers -= 1 }
  }

  /// Stays a moment, so that an intruder is likely to be seen.
  private func spin() {
    for _ in 0..<50 { _ = state.access { $0.visits } }
  }
}

/// Tells when it dies.
final class Probe: Sendable {
  private let onDeath: @Sendable () -> Void

  init(_ onDeath: @escaping @Sendable () -> Void) {
    self.onDeath = onDeath
  }

  /// A use that keeps the probe captured.
  func touch() {}

  deinit { onDeath() }
}

/// Carries a value to another thread; the test sees to it that only one uses it at a time.
// SAFETY: each test that shares a value orders its uses by the queue, join or gate under test.
final class Shared<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// The two kinds of queue that a test may make, as an argument.
enum Kind: CaseIterable, Sendable {
  case serial, concurrent

  var attributes: DispatchQueue.Attributes { self == .serial ? [] : .concurrent }
}
