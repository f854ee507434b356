// EventKind+Subscribers.swift: the one table of who hears of which event. A site in the engine tests the bits of its
// kind in the instruments byte, which are a constant there.

/// Subscribers of the engine's events, by their bits in the instruments byte, which has no ninth: that one would make
/// the byte a word of 16 bits, which each fast path reads.
public struct EventSubscribers: OptionSet, Sendable {
  /// One bit for each.
  public let rawValue: UInt8
  /// Creates the set of these bits.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Counts operations, for tests.
  @inlinable public static var counts: Self { Self(rawValue: 0x01) }
  /// Validates the order of locks and turns.
  @inlinable public static var lockOrder: Self { Self(rawValue: 0x02) }
  /// Counts acquisitions and waits of locks.
  @inlinable public static var lockStatistics: Self { Self(rawValue: 0x04) }
  /// The stall detector, with its notes of stops, enters and last items.
  @inlinable public static var stallDetector: Self { Self(rawValue: 0x08) }
  /// Chooses which thread goes on: it hears of an operation before that happens, and before all others, and may let
  /// other threads go first.
  @inlinable public static var explorer: Self { Self(rawValue: 0x10) }
  /// Writes down what happens.
  @inlinable public static var recorder: Self { Self(rawValue: 0x20) }
  /// Reports items of the main queue that run for long.
  @inlinable public static var mainLimit: Self { Self(rawValue: 0x40) }
  /// Counts of queues are on. The lists count by themselves, and the engine measures samples. Its subscriber is the
  /// register of tasks.
  @inlinable public static var figures: Self { Self(rawValue: 0x80) }

  @inlinable static var ofWorkers: Self { .counts | .stallDetector | .explorer }
  @inlinable static var ofOthers: Self { .counts | .explorer }

  /// Both sets. A literal, `[.counts, .explorer]`, is an array in a debug build: each event would allocate one, and
  /// take the runtime's lock for its type, whether a subscriber hears of it or not.
  @inlinable @inline(__always) static func | (one: Self, other: Self) -> Self { Self(rawValue: one.rawValue | other.rawValue) }
}

extension EventKind {
  /// Whether the kind is an operation of the program's that worker threads are needed for, so that the child of a fork
  /// has no use of it.
  @inlinable @inline(__always) public var needsWorkers: Bool {
    subscribers.rawValue & EventSubscribers.ofWorkers.rawValue == EventSubscribers.ofWorkers.rawValue
  }

  /// The subscribers that hear of the kind.
  @inlinable @inline(__always)
  public var subscribers: EventSubscribers {
    switch self {
    // What needs worker threads.
    case .submitted: .ofWorkers | .recorder | .figures
    case .groupEntered, .groupLeft, .semaphoreSignalled, .workItemCancelled: .ofWorkers | .recorder
    case .started: .ofWorkers | .recorder | .mainLimit | .figures
    case .turnAsked, .groupWaitAsked, .semaphoreWaitAsked, .workItemWaitAsked: .ofWorkers | .lockOrder
    case .workItemPerformed, .applied, .delayAsked, .suspended, .resumed, .notifyAsked, .sourceCancelled, .sourceMerged,
      .timerScheduled:
      .ofWorkers
    // Other operations.
    case .onceAsked, .lockAsked: .ofOthers | .lockOrder
    case .lockReleased: .ofOthers | .lockOrder | .lockStatistics
    case .activated, .retargeted, .specificSet, .handlerSet, .readAsked, .writeAsked, .channelBarrierAsked,
      .channelClosed, .channelSet, .operationStartAsked, .operationCancelAsked, .operationWaitAsked, .dependencyChanged,
      .operationSet, .operationsAdded, .operationBarrierAdded, .operationsCancelled, .operationQueueWaitAsked,
      .operationQueueSet:
      .ofOthers
    case .targetTurnAsked, .unownedWaitBegan: .lockOrder
    case .lockTaken, .lockMade, .identityEnded: .lockOrder | .lockStatistics
    // What is no operation.
    case .ended: .recorder | .mainLimit | .figures
    case .mainLoopBegan: .stallDetector
    case .mainThreadEnds, .mainLimitSet: .mainLimit
    case .queueStopped, .queueGoesOn: .stallDetector | .explorer
    case .gone: .stallDetector | .explorer | .recorder | .lockOrder | .lockStatistics
    case .touched, .queueTouched, .wordTouched, .untoldUsed, .actorEntered: .explorer
    case .placeFilled, .time, .turnBegan, .turnEnded, .waitBegan, .waitEnded, .parked, .woken, .threadBegan, .threadEnded,
      .timerArmed, .timerFired, .mark, .intervalBegan, .intervalEnded, .threadName, .notified, .onceBegan, .onceEnded,
      .turnHanded, .sourceBegan, .sourceEnded, .transferBegan, .transferEnded, .operationAdded, .operationReady,
      .operationBegan, .operationReturned, .operationFinished, .operationCancelled, .loopBegan, .loopEnded, .loopPhase,
      .reported, .timerCancelled, .taskRuns, .taskNamed, .loopTimerArmed, .forgotten:
      .recorder
    }
  }
}
