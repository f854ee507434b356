// EventKind.swift: what happens in a program that is recorded, and one event as it lies in the file. Where events lie
// in the file is SignalboxRecorder/RecordLayout.swift.

/// What happened. In an event's first word.
public enum EventKind: UInt8, Sendable, CaseIterable {
  /// The times that follow in the piece are counted from `b` and 16 bits more in `c`.
  case time = 1
  /// An item was submitted. a: the queue, with `ItemTraits` in its lowest bits. b: which item. c: its function.
  case submitted
  /// An item begins. a, b: as above. c: what its function may call, if that is a thunk; or 0.
  case started
  /// The innermost item has ended.
  case ended
  /// A turn of a queue was got by `sync`. a: the queue; its lowest bit: alone.
  case turnBegan
  case turnEnded
  /// The thread is about to sleep. a: for what. b: who holds that, by the owner value; 0 nobody, or not known. c: the
  /// kind of wait.
  case waitBegan
  case waitEnded
  /// A worker has nothing to do; it has, or begins. Since version 3 a: how many workers its pool may have; 0: not
  /// known. b: which pool: 0 default, 1 utility, 2 background.
  case parked, woken
  /// Another thread writes from here on. a: its number. b, c: what the piece's head says of a thread.
  case threadBegan
  case threadEnded
  /// An item is to be submitted later. a: the queue. b: which item. c: in how many nanoseconds. Since version 3 also of
  /// a timer source or a run loop's timer, which a names by its address and 1: b is 0, and what it was armed for before
  /// counts no more.
  case timerArmed
  /// It is due: the item is submitted, or the timer fires. a, b: as above. c, since version 3: how many nanoseconds
  /// after its leeway, and one; 0: not known. Of a source a was its address alone before.
  case timerFired
  /// The program's own. a: its name. b, c: a number of 64 bits.
  case mark, intervalBegan, intervalEnded
  /// The writing thread's name to the kernel, in a, b and c.
  case threadName

  // MARK: since version 2

  /// A semaphore is about to be signalled. a: which. b: how many threads waited for it, as far as the signalling one
  /// saw.
  case semaphoreSignalled
  /// Members are about to enter a group, or to leave it. a: which. b: how many. c: how many were inside, as far as the
  /// thread saw.
  case groupEntered, groupLeft
  /// The next item that the thread submits was to follow the end of a. a: a group or a work item. b: which item.
  case notified
  /// What runs once under a token begins, and has ended. a: the token.
  case onceBegan, onceEnded
  /// A work item was cancelled. a: which. b: the queue that it waits in; 0: none, or several.
  case workItemCancelled
  /// A queue is about to be handed over to a thread that waits for its turn. a: the queue. b: the thread, by its owner
  /// value.
  case turnHanded
  /// A source's handler of events is about to be called, and has returned. a: the source, by its address and 1: by the
  /// address alone it is a queue. b: its data. c: the handler's function.
  case sourceBegan, sourceEnded
  /// A read or write was asked for. a: which. b: `TransferTraits`, with the descriptor in the lower half. c: how many
  /// bytes at most.
  case transferBegan
  /// It is over. a: which. b: how many bytes were moved. c: the error in 16 bits, and above them the descriptor.
  case transferEnded
  /// An operation was given to a queue. a: which. b: the queue, with `OperationTraits` in its lowest bits. c: its
  /// class, or its block's function.
  case operationAdded
  /// It depends on nothing any more that has not finished. a: which. b: the operation that was the last to finish; 0:
  /// none.
  case operationReady
  /// A thread starts it, and comes out of it; it may not have finished by then. a, b, c: as above.
  case operationBegan, operationReturned
  /// It has finished, and what follows from that is about to be done. a: which. b: `OperationTraits`.
  case operationFinished
  case operationCancelled
  /// A run of a run loop begins, and has ended. a: the loop. b: its mode.
  case loopBegan, loopEnded
  /// The loop is in another phase from now on. a: the loop. b: `LoopPhase`.
  case loopPhase

  // MARK: since version 3

  /// The diagnosis has found something, and begins to report it. a: `RecordedReport`. b: the report's number in this
  /// process, from 1 on.
  case reported
  /// A timer is armed no more. a: the timer, by its address and 1.
  case timerCancelled
}

/// What was reported.
public enum RecordedReport: UInt64, Sendable, CaseIterable {
  /// As `DiagnosticReport.Kind` has them.
  case deadlock = 1, stall, lockOrder, longItem, misuse
}

/// What an event of a read or write says of it.
public enum TransferTraits {
  /// Bit 32: it is a write.
  @inlinable public static var isWrite: UInt64 { 1 << 32 }
  /// Bit 33: at a place of its own, not at the file's pointer.
  @inlinable public static var isRandom: UInt64 { 1 << 33 }
}

/// What an event of an operation says besides, in the bits that are free in a queue's address.
public enum OperationTraits {
  /// It waits for no other operation.
  @inlinable public static var isReady: UInt64 { 1 }
  /// It has a name of its own: that of its address.
  @inlinable public static var isNamed: UInt64 { 2 }
  /// It was cancelled.
  @inlinable public static var isCancelled: UInt64 { 4 }
  /// It is a barrier of its queue.
  @inlinable public static var isBarrier: UInt64 { 8 }
  /// All of them.
  @inlinable public static var mask: UInt64 { 15 }
}

/// What a run loop does.
public enum LoopPhase: UInt64, Sendable, CaseIterable {
  /// It fires timers.
  case timers = 1
  /// It runs blocks, and handles what came in.
  case sources
  /// It sleeps.
  case waiting
  /// It handles what has woken it.
  case woken
}

/// What an event of a submission says besides, in the bits that are free in a queue's address.
public enum ItemTraits {
  /// Bits 0 to 2: the class of service, from 1 for background to 5 for user-interactive; 0: none of its own.
  @inlinable public static var classMask: UInt64 { 7 }
  /// Bit 3: it runs alone.
  @inlinable public static var isBarrier: UInt64 { 8 }
  /// All of them.
  @inlinable public static var mask: UInt64 { 15 }
}

/// What has a name.
public enum NameKind: UInt8, Sendable {
  /// A queue, by its address; `extra` is its kind: 0 serial, 1 concurrent, 2 global, 3 main, 4 of a run loop; and 256
  /// times the class of service that its items have, from 1 for background to 5 for user-interactive.
  case queue = 1
  /// What a thread waited for; `extra` is the kind of the wait.
  case object
  /// A part of a file with functions, by where it begins; `extra` is where it ends. The text: where the file's image
  /// begins, as a hexadecimal number, a space, and the path.
  case image
  /// A mark or interval of the program's, by where its text lies.
  case note
  /// A class of operations, by where it lies.
  case type
  /// The text of the entry before goes on.
  case more = 255
}

/// One event: three words that hold three addresses of 48 bits, a kind, and 40 bits of time.
public struct EventCell: Sendable, Equatable {
  /// The bits of an address.
  @inlinable public static var addressMask: UInt64 { (1 << 48) - 1 }
  /// The bits of a time.
  @inlinable public static var timeMask: UInt64 { (1 << 40) - 1 }

  /// The words as they lie in the file.
  public var words: (UInt64, UInt64, UInt64)

  /// An event of these parts, of which each keeps its lower bits.
  @inlinable @inline(__always)
  public init(_ kind: EventKind, time: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64) {
    words.0 = time & Self.timeMask | UInt64(kind.rawValue) << 40 | (c >> 32) << 48
    words.1 = a & Self.addressMask | c << 48
    words.2 = b & Self.addressMask | (c >> 16) << 48
  }

  /// An event as it was read; nil if it is none.
  public init?(words: (UInt64, UInt64, UInt64)) {
    guard EventKind(rawValue: UInt8(truncatingIfNeeded: words.0 >> 40)) != nil else { return nil }
    self.words = words
  }

  /// What happened.
  public var kind: EventKind { EventKind(rawValue: UInt8(truncatingIfNeeded: words.0 >> 40)) ?? .time }
  /// When, counted from the base.
  public var time: UInt64 { words.0 & Self.timeMask }
  /// The first address.
  public var a: UInt64 { words.1 & Self.addressMask }
  /// The second.
  public var b: UInt64 { words.2 & Self.addressMask }
  /// The third.
  public var c: UInt64 { words.1 >> 48 | (words.2 >> 48) << 16 | (words.0 >> 48) << 32 }

  /// Whether all words are the same.
  public static func == (one: Self, other: Self) -> Bool { one.words == other.words }
}
