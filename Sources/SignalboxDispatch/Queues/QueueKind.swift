// QueueKind.swift: the kinds of queue, and what the engine asks of them. A queue's kind (QueueKind of SignalboxWords)
// is compared here; elsewhere stand the questions, so that a new kind answers them in one place. Where each
// kind has something of its own, a name or a step, a switch lists them, and the compiler counts. A reader from outside
// has a copy of the kind, and compares that (QueueFigures.swift).
//
//                 isSerial  isConcurrent  isRoot  isThreadBound | owner and list   who drains             can be suspended
//   serial        yes                                           | of its own       whoever takes it       yes
//   concurrent              yes                                 | of its own       several at once        yes
//   global                                yes                   | the pool's       the pool's workers     no
//   main                                          yes           | of its own       the main thread        no
//   runLoop                                       yes           | of its own       the loop's thread      no
public import SignalboxWords

extension DispatchQueue {
  /// Whether items run one after another, on whatever thread takes the queue. Sources and workloops are such queues; those of one thread
  /// are not (`isThreadBound`).
  @inlinable @inline(__always) package final var isSerial: Bool { kind == .serial }

  /// Whether items run beside one another, and barriers alone.
  @inlinable @inline(__always) package final var isConcurrent: Bool { kind == .concurrent }

  /// Whether it is a global queue, where targets end: it has no owner and no turn, its items are the pool's.
  @inlinable @inline(__always) package final var isRoot: Bool { kind == .global }

  /// Whether it is the main queue.
  @inlinable @inline(__always) package final var isMain: Bool { kind == .main }

  /// Whether it is the queue of a run loop.
  @inline(__always) final var isRunLoops: Bool { kind == .runLoop }

  /// Whether items run on one thread only: the main queue, and queues of run loops.
  @inline(__always) final var isThreadBound: Bool { isMain || isRunLoops }

  /// Whether items of it run at the same time.
  @inline(__always) final var runsBeside: Bool { isConcurrent || isRoot }

  /// Whether the queue is the process's rather than the program's: the main queue or a global one.
  @inlinable @inline(__always) package final var isShared: Bool { isRoot || isMain }

  /// Whether it can be suspended: the main queue and global ones ignore that, as the header says.
  @inline(__always) final var canStop: Bool { isSerial || isConcurrent }
}
