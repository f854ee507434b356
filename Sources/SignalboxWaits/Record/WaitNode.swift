// WaitNode.swift: which nodes could act in a process, and what each needs for that: one snapshot, as a value. Which of
// them can never act again is Reduction.swift; how a snapshot is taken SnapshotTaker.swift.
import SignalboxSystem
import SignalboxWords

/// Something that may act, or whose turn may come: a thread, queued work, what is armed, a node of a layer
/// above.
package struct WaitNode: Sendable, Equatable {
  /// Which one.
  package enum Key: Hashable, Sendable {
    /// A thread, by the kernel's number.
    case thread(Int32)
    /// What lies queued for the pool.
    case pool
    /// What lies queued for the main thread.
    case mainQueue
    /// Timers that are armed and descriptors that are monitored.
    case events
    /// Functions of the program's for signals that others may send.
    case handlers
    /// Something of a layer above, by its address: an operation, say.
    case object(UInt)
  }

  /// What must move before this one can.
  package enum Need: Sendable, Equatable {
    /// Any node that acts: any of them may signal, leave, resume or submit.
    case anyone
    /// All of these: dependencies.
    case all([Key])
    /// One of these; none if there is none.
    case any([Key])
    /// As the need says, or once any node acts: the program may change what is needed at any time (operations that have
    /// not begun).
    indirect case changeable(Need)

    /// Every key that it names.
    package var keys: [Key] {
      switch self {
      case .anyone: []
      case .all(let keys), .any(let keys): keys
      case .changeable(let need): need.keys
      }
    }
    package var isChangeable: Bool { if case .changeable = self { true } else { false } }
  }

  /// Whether it can move.
  package enum State: Sendable, Equatable {
    /// It moves, or nothing is known to keep it.
    case free
    /// Not before its need is met: known, not guessed.
    case needs(Need)
    /// It sleeps where Signalbox cannot see what for, and has not stirred for as long as was asked. It may wake by
    /// itself; if it does not, it needs this.
    case asleep(Need)
  }

  /// A wait as its record has it.
  package struct Wait: Sendable, Equatable {
    /// The waiting thread, as words of locks name it.
    package var owner: UInt64
    /// What is waited for.
    package var kind: WaitKind
    /// Where that lies.
    package var object: UInt
    /// Whether it has lasted for several periods of the stall detector.
    package var isLong = false
    /// What keeps the queue that is waited for from running anything, where that is known.
    package var stop = QueueStop.none
    /// The number that a lock must be given back with for the wait to end, where it waits for one.
    package var number: Int?

    package init(
      owner: UInt64, kind: WaitKind, object: UInt, isLong: Bool = false, stop: QueueStop = .none, number: Int? = nil
    ) {
      (self.owner, self.kind, self.object) = (owner, kind, object)
      (self.isLong, self.stop, self.number) = (isLong, stop, number)
    }
  }

  /// Why a queue starts nothing.
  package enum QueueStop: Sendable, Equatable {
    /// It may.
    case none
    /// It is suspended, or was never activated: the queue at this address.
    case suspended(UInt), inactive(UInt)

    /// Where that queue lies.
    package var queue: UInt? {
      switch self {
      case .none: nil
      case .suspended(let queue), .inactive(let queue): queue
      }
    }
  }

  /// Which one it is.
  package var key: Key
  /// The same in two snapshots: it has not moved in between.
  package var stamp: UInt64
  /// Whether it can move.
  package var state: State
  /// Whether it could do something for others by itself if it moved: signal, leave, resume. What is only run by others
  /// does not count.
  package var acts: Bool
  /// What a thread waits for, if it is in a wait of Signalbox's.
  package var wait: Wait?

  /// A node.
  package init(_ key: Key, stamp: UInt64 = 0, _ state: State, acts: Bool = true, wait: Wait? = nil) {
    (self.key, self.stamp, self.state, self.acts, self.wait) = (key, stamp, state, acts, wait)
  }
}

/// One snapshot of all nodes that could act.
package struct WaitSnapshot: Sendable {
  /// By key: a caller that adds one again replaces it.
  package private(set) var nodes: [WaitNode.Key: WaitNode] = [:]

  /// An empty one.
  package init(_ nodes: [WaitNode] = []) { for node in nodes { add(node) } }

  /// Adds a node, or replaces the one of its key.
  package mutating func add(_ node: WaitNode) { nodes[node.key] = node }

  /// Items lie in the main queue, and the main thread sleeps elsewhere: had they been to wake it, they would have. So
  /// it does not come back because others move.
  package mutating func noteMainThreadAway() {
    guard let queue = nodes[.mainQueue], queue.acts, case .needs(.all(let keys)) = queue.state, let main = keys.first,
      var thread = nodes[main], case .asleep = thread.state
    else { return }
    thread.state = .asleep(.any([]))
    add(thread)
  }

  /// What both this snapshot and an `earlier` one have found the same. Whatever has moved in between, has come or gone
  /// is free.
  ///
  /// Every reading of the earlier snapshot precedes every reading of this one. So between the two there is an instant
  /// at which each node that is not free in the result was as it is described here, all of them together.
  package func standing(since earlier: WaitSnapshot) -> WaitSnapshot {
    var result = self
    for (key, node) in earlier.nodes where nodes[key] == nil { result.add(WaitNode(key, stamp: node.stamp, .free)) }
    for (key, node) in nodes {
      let before = earlier.nodes[key]
      if before == nil || before?.stamp != node.stamp || before?.state == .free {
        result.add(WaitNode(key, stamp: node.stamp, .free, acts: node.acts || before?.acts == true, wait: node.wait))
      }
    }
    return result
  }
}

extension WaitSnapshot {
  /// A thread that sleeps until other code has work for it: it does nothing by itself. `stamp` changes when it has
  /// worked.
  package mutating func addIdle(_ thread: Int32, stamp: UInt64) {
    add(WaitNode(.thread(thread), stamp: stamp, .needs(.anyone)))
  }

  /// A thread that hands on what others bring, and sleeps in between: idle while the kernel shows it asleep.
  package mutating func addService(_ thread: Int32) {
    guard KernelThread.sample(UInt64(thread))?.isWaiting == true, let switches = KernelThread.switches(thread) else {
      return add(WaitNode(.thread(thread), .free))
    }
    addIdle(thread, stamp: switches)
  }
}
