// ToolchainLayout.swift: where things lie in the objects of the toolchain's libdispatch, and what the bits of a queue's
// word say. The library tells a part of it (`dispatch_queue_offsets`); the rest was measured, and ToolchainProcessTests
// holds it against the machine's own library.
import SignalboxView

/// The layout of one version of the library.
struct ToolchainLayout: Equatable {
  /// From a queue's beginning, in bytes.
  let label: UInt64, target: UInt64, width: UInt64

  /// The version of what the library says of itself that is read here.
  static let version: UInt16 = 6

  /// The numbers of `dispatch_queue_offsets`: the version, then an offset and a size for each fact.
  ///
  /// nil: another version, or facts of another size.
  init?(offsets: [UInt16]) {
    guard offsets.count >= 15, offsets[0] == Self.version, offsets[2] == 8, offsets[8] == 2, offsets[14] == 8 else {
      return nil
    }
    (label, width, target) = (UInt64(offsets[1]), UInt64(offsets[7]), UInt64(offsets[13]))
  }

  /// What every object begins with: the address of its kind's table, two counts of references, the next object of a
  /// list.
  enum Object {
    static let references: UInt64 = 8, next: UInt64 = 16
    /// What stands in place of the next object where the object lies in no list.
    static let listless: UInt64 = 0xffff_ffff_89ab_cdef
    /// Of what is never freed.
    static let global: Int32 = .max
  }
  /// A queue's words.
  enum Queue {
    static let last: UInt64 = 48, state: UInt64 = 56, first: UInt64 = 104, size: UInt64 = 112
  }
  /// The word that a thread sleeps on, in the object that it waits for.
  enum Slept {
    static let group: UInt64 = 52, semaphore: UInt64 = 64
  }
  /// The record of a thread that waits for a turn, in its stack. It lies in the queue as an item does, with the closure
  /// that is to run.
  enum Waiter {
    static let queue: UInt64 = 56, word: UInt64 = 96, thread: UInt64 = 100, function: UInt64 = 64, context: UInt64 = 72
  }
  /// The words that the library keeps for each thread: its number, the queue that it is in, and the queues that it was
  /// in before, as a list in its stack.
  enum Specific {
    static let thread: UInt64 = 0, queue: UInt64 = 8, frame: UInt64 = 16
  }
  /// An entry of that list.
  enum Frame {
    static let queue: UInt64 = 0, outer: UInt64 = 8
  }
  /// An item that is no object: flags, and a function with its argument, or a block.
  enum Item {
    static let flags: UInt64 = 0, function: UInt64 = 32, context: UInt64 = 40
    /// A thread waits for its turn; it runs alone; it is a block; it is a block with words of its own, as work items
    /// are.
    static let awaited: UInt64 = 1, barrier: UInt64 = 2, block: UInt64 = 16, workItem: UInt64 = 32
    /// Greater words are addresses.
    static let flagsLimit: UInt64 = 4096
  }
  /// A block with words of its own: what these begin with, and the block that it runs.
  enum WorkItem {
    static let mark: UInt64 = 32, inner: UInt64 = 72, magic: UInt64 = 0xd159_b10c
  }
  /// A source: where its registration is. In that: its kind, the complement of the source's address, what it monitors
  /// or the clock, its handler; of timers the time at which it is due.
  enum Source {
    static let registration: UInt64 = 88
    static let kind: UInt64 = 0, owner: UInt64 = 8, subject: UInt64 = 24, handler: UInt64 = 40, due: UInt64 = 80
  }
}

/// The word that names the thread which has a queue.
struct ToolchainState: Equatable {
  let rawValue: UInt64

  /// The kernel's number of the thread that drains it or runs alone in it; nil: none does.
  var owner: Int32? {
    let number = Int32(truncatingIfNeeded: rawValue & 0x3fff_ffff)
    return number == 0 ? nil : number
  }
  /// How often it was suspended.
  var suspended: Int { Int(rawValue >> 58) }
  var isInactive: Bool { rawValue & 0x0180_0000_0000_0000 == 0x0180_0000_0000_0000 }
  /// An item runs alone.
  var isAlone: Bool { rawValue & 0x0040_0000_0000_0000 != 0 }

  /// How many items run at once in a queue of that width.
  func running(width: Int) -> Int { isAlone ? 1 : max(0, Int(rawValue >> 41 & 0x1fff) - (0x1000 - width)) }
}

/// Kinds of objects of the library.
enum ToolchainKind: String, CaseIterable {
  case serial = "queue_serial", concurrent = "queue_concurrent", main = "queue_main", global = "queue_global"
  case manager = "queue_mgr", runLoop = "queue_runloop", workloop, source, group, semaphore

  /// The symbol of the table that objects of the kind begin with.
  var symbol: String { "__OS_dispatch_\(rawValue)_vtable" }

  var isQueue: Bool { self != .group && self != .semaphore && self != .source }

  /// What tables call a queue of the kind.
  var noun: String {
    switch self {
    case .runLoop: "run loop"
    case .manager: "manager"
    default: "\(self)"
    }
  }
}
