// WaitView.swift: a wait as its record had it, read between two readings of one sequence; and which thread could end
// it. The walk before a sleep reads records in place (WaitReading); this copy is for pictures of a process, one's own
// or another.
import SignalboxWords

/// A wait at one moment.
package struct WaitView: Sendable {
  /// The same in two readings: it is the same wait.
  package var sequence: UInt64
  /// The waiting thread, by its owner value.
  package var owner: UInt64
  package var kind: WaitKind
  package var object: UInt
  /// On the uptime clock, in nanoseconds.
  package var since: UInt64
  /// Whether it ends by itself.
  package var isTimed: Bool
  /// The word slept on, and the value that it had; 0: the wait is not to be judged by it.
  package var park: UInt64, parkValue: UInt32
  package var words: OwnerWords
  package var frames: [FrameWord]
  /// What the thread holds beside others.
  package var shared: [UInt]
  /// Return addresses, the innermost first.
  package var stack: [UInt]
  /// Which thread could end it.
  package var end = WaitEnd.nothing

  package init(
    sequence: UInt64, owner: UInt64, kind: WaitKind, object: UInt, since: UInt64, isTimed: Bool,
    park: (word: UInt64, value: UInt32),
    words: OwnerWords, frames: [FrameWord], shared: [UInt], stack: [UInt]
  ) {
    (self.sequence, self.owner, self.kind, self.object, self.since) = (sequence, owner, kind, object, since)
    (self.isTimed, self.park, self.parkValue, self.words) = (isTimed, park.word, park.value, words)
    (self.frames, self.shared, self.stack) = (frames, shared, stack)
  }

  /// Whether the thread is inside the object, by a frame or as one of those that share it.
  package func isInside(_ object: UInt) -> Bool { frames.contains { $0.object == object } || shared.contains(object) }

  /// Which thread could end the wait, as the words in `memory` say at this moment.
  package func end(in memory: ReadMemory, among threads: some ThreadsView) -> WaitEnd {
    if park != 0, let value = memory.word32(park), value != parkValue { return .over }
    var trail = OwnerTrail(words, in: memory)
    if trail.isEmpty { return .anyone }
    switch trail.follow(for: owner, places: .endThere) {
    case .waiter: return kind.hasOwner && trail.word.reading == .lock ? .nothing : .over
    case .owner(let holder): return threads.thread(holder).map { .holder($0) } ?? .nothing
    case .holders: return .inside(threads.waiters(inside: trail.word.address, except: owner))
    case .nobody(let answer): return answer.isStopped ? .stopped : .nothing
    case .place:
      switch trail.word.reading {
      case .mainThread: return .mainThread(threads.mainThread)
      case .pool: return .pool
      default: return .anyone
      }
    }
  }
}

/// What a view of a wait asks of the process's threads.
package protocol ThreadsView {
  /// The kernel's number of the thread that an owner value names; nil once it has ended.
  func thread(_ owner: UInt64) -> Int32?
  /// The threads that wait while they are inside an object.
  func waiters(inside object: UInt, except owner: UInt64) -> [Int32]
  var mainThread: Int32 { get }
}

/// Which thread could end a wait.
package enum WaitEnd: Sendable, Equatable {
  /// This one holds what is waited for.
  case holder(Int32)
  /// These are inside and wait themselves; others may be inside as well.
  case inside([Int32])
  /// The turn comes on the main thread; from the pool.
  case mainThread(Int32), pool
  /// The queue starts nothing: it is suspended, or not active.
  case stopped
  /// Any thread that signals, leaves or calls.
  case anyone
  /// No thread holds it at this moment: it is about to be taken, or its words name none.
  case nothing
  /// The wait is over: its thread has not run since.
  case over

  /// What answers call it.
  package var word: String {
    switch self {
    case .holder: "held"
    case .inside: "inside"
    case .mainThread: "main thread"
    case .pool: "pool"
    case .stopped: "stopped"
    case .anyone: "anyone"
    case .nothing: "no thread"
    case .over: "over"
    }
  }

  /// The threads that it names.
  package var threads: [Int32] {
    switch self {
    case .holder(let thread), .mainThread(let thread): [thread]
    case .inside(let threads): threads
    case .pool, .stopped, .anyone, .nothing, .over: []
    }
  }
}
