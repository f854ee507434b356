// InspectedParts.swift: what the layers above show of themselves to whoever inspects the process: values. Who asks for them is
// Inspection/Inspection.swift.
import SignalboxView

/// Queues, the pool and timers at one moment.
package struct InspectedParts: Sendable {
  /// Queues that are there, in no order.
  package var queues: [InspectedQueue] = []
  /// The pool's threads.
  package var pools: [InspectedPool] = []
  /// How many timers are armed; nil: not known.
  package var armedTimers: Int?
  /// Armed timers, the soonest first; not all, if there are many.
  package var timers: [InspectedTimer] = []
  /// Descriptors that are monitored for the program, in each direction.
  package var descriptors: [InspectedDescriptor] = []
  /// How many other events are: signals, processes, files.
  package var events: Int?
  /// What could not be read, and why, in words.
  package var unread: [String] = []

  init() {}
}

/// One queue at one moment.
package struct InspectedQueue: Sendable {
  /// Where it is: what waits and frames name it by.
  package var address: UInt
  /// The label.
  package var label: String
  /// `serial`, `concurrent`, …
  package var kind: String
  /// The class given at creation.
  package var qos: String
  /// Entries of its list: items, queues that run on it, threads that wait there.
  package var pending: UInt64 = 0
  /// Entries taken off it since it was made.
  package var done: UInt64 = 0
  /// The kernel's number of the thread that takes items off it, or runs alone in it; 0: none.
  package var owner: Int32 = 0
  /// How many run in it beside others.
  package var running: UInt64 = 0
  /// How many may; 0: no limit.
  package var limit: UInt32 = 0
  /// How often it is suspended.
  package var suspended: UInt64 = 0
  /// Whether it was never activated.
  package var isInactive = false
  /// The address of the queue that it runs on; 0: none.
  package var target: UInt = 0
  /// The class of the most urgent item that lies in it, and how many less urgent ones lie before that; nil if none do, or it is not known.
  package var urgent: (qos: String, behind: Int)?
  /// What comes next, where that is known: the first items.
  package var next: [RunningItem] = []
  /// Seconds that the oldest pending item has waited at least; nil: not known.
  package var oldest: Double?
  /// Seconds that half of the sampled items, and 95 of a hundred, have waited at most; nil without a sample.
  package var waited: (half: Double, most: Double)?

  /// A queue of which the traits alone are known.
  package init(address: UInt, label: String, kind: String, qos: String) {
    (self.address, self.label, self.kind, self.qos) = (address, label, kind, qos)
  }
}

/// One armed timer at one moment.
package struct InspectedTimer: Sendable {
  /// `timer source`, `asyncAfter`.
  package var kind: String
  /// Seconds until it is due; below 0: it is late.
  package var due: Double
  /// The address of the queue to which it submits.
  package var queue: UInt
  /// The item, where one is submitted.
  package var item: RunningItem?

  /// A timer.
  package init(kind: String, due: Double, queue: UInt, item: RunningItem?) {
    (self.kind, self.due, self.queue, self.item) = (kind, due, queue, item)
  }
}

/// One descriptor that is monitored in one direction.
package struct InspectedDescriptor: Sendable {
  /// Its number.
  package var number: Int32
  /// `readable`, `writable`.
  package var direction: String
  /// The source or channel for which; empty: not known.
  package var label: String

  /// A descriptor.
  package init(number: Int32, direction: String, label: String) {
    (self.number, self.direction, self.label) = (number, direction, label)
  }
}

/// The threads of one band of classes at one moment.
package struct InspectedPool: Sendable {
  /// The classes that it serves.
  package var name: String
  /// Threads that there are, or are being made; awake and not known to be blocked; asleep without work; the most that may be.
  package var threads: Int, running: Int, idle: Int, limit: Int
  /// What each of them does, by the kernel's number.
  package var workers: [(thread: Int32, state: String)] = []

  /// A band.
  package init(name: String, threads: Int, running: Int, idle: Int, limit: Int) {
    (self.name, self.threads, self.running, self.idle, self.limit) = (name, threads, running, idle, limit)
  }
}
