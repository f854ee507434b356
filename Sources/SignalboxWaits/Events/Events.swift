// Events.swift: the one way from the engine to its observers: `emit`, behind the instruments byte. Kinds are EventKind,
// the table of which subscriber gets which EventKind+Subscribers (SignalboxWords); the subscribers lie above the
// engine, which does not name them (SignalboxObservers; what knows no queue in SignalboxDiagnosis/Subscribers).
//
// A site tests the bits of its kind in the byte; the rest is out of line. The explorer is called first, because it may
// let other threads go on before the operation; then the others, in the order of their bits. A subscriber is called on
// the thread that emits, which keeps the object of the event alive; it neither blocks (the explorer apart) nor emits.
import CSignalbox
public import SignalboxSystem
public import SignalboxWords

/// One event, as a subscriber gets it.
@usableFromInline package struct Event {
  /// What happens.
  @usableFromInline package let kind: EventKind
  /// The object, and two words more: see the kind.
  @usableFromInline package let object: UInt
  @usableFromInline package let second: UInt64
  @usableFromInline package let third: UInt64
  @usableFromInline let mark: UInt

  /// Where in the program the engine was called from.
  package var site: CallSite { CallSite(above: mark) }

  /// The event of a subscriber's five arguments: `kind` as it lies in memory.
  @inlinable @inline(__always)
  package init(_ kind: UInt8, _ object: UInt, _ second: UInt64, _ third: UInt64, _ mark: UInt) {
    // SAFETY: the byte of an `EventKind` of this very program (`Events.deliver`).
    self.kind = unsafeBitCast(kind, to: EventKind.self)
    (self.object, self.second, self.third, self.mark) = (object, second, third, mark)
  }
}

/// Where events go.
public enum Events {
  /// A subscriber: called with what an `Event` is made of.
  package typealias Subscriber = @convention(c) (UInt8, UInt, UInt64, UInt64, UInt) -> Void

  /// Sets the subscriber of the bits. Only while images are loaded, by one thread, before anything is emitted.
  ///
  /// - Parameter unlessTaken: whether another subscriber of a bit stays, which knows more.
  package static func subscribe(
    _ bits: EventSubscribers, unlessTaken: Bool = false, _ subscriber: @escaping Subscriber
  ) {
    for bit in 0..<8 where bits.rawValue >> bit & 1 == 1 {
      if !unlessTaken || sb_subscribers()[bit] == nil { sb_subscribers()[bit] = subscriber }
    }
  }

  /// Whether a subscriber hears of the kind, or the process is the child of a fork: what an event says is then to be
  /// found out.
  @inlinable @inline(__always)
  public static func areWanted(_ kind: EventKind) -> Bool { _slowPath(Instruments.byte & kind.subscribers.rawValue != 0) }

  /// Whether figures alone are on: their subscriber, the register of tasks, gets jobs and no other item.
  @inlinable @inline(__always)
  public static var areForJobsAlone: Bool { Instruments.byte == EventSubscribers.figures.rawValue }

  // Not one function with default values: of a function that is not inlined, each of them is a call.

  /// Calls the subscribers of the kind. Off: a load and a test.
  @inlinable @inline(__always)
  public static func emit(_ kind: EventKind, _ object: UInt) { if areWanted(kind) { tell(kind, object, 0, 0) } }

  /// The same of an event with words of its own.
  @inlinable @inline(__always)
  public static func emit(_ kind: EventKind, _ object: UInt, _ second: UInt64, _ third: UInt64 = 0) {
    if areWanted(kind) { tell(kind, object, second, third) }
  }

  /// The out-of-line part, for a caller that knows that the event is wanted.
  ///
  /// In the child of a fork, where worker threads do not exist, it stops the program at an operation that needs them.
  @inline(never)
  public static func tell(_ kind: EventKind, _ object: UInt, _ second: UInt64, _ third: UInt64) {
    let byte = Instruments.byte
    if _slowPath(byte == 0xFF), Instruments.isForkedChild { return stopInChild(kind) }
    deliver(kind, object, second, third, to: byte & kind.subscribers.rawValue)
  }

  /// The begin of something that ends on this thread: the subscribers that heard of it, for `tellEnd`.
  @inline(never)
  package static func tellBegin(_ kind: EventKind, _ object: UInt, _ second: UInt64, _ third: UInt64) -> EventSubscribers {
    let byte = Instruments.byte
    if _slowPath(byte == 0xFF), Instruments.isForkedChild {
      stopInChild(kind)
      return []
    }
    deliver(kind, object, second, third, to: byte & kind.subscribers.rawValue)
    return EventSubscribers(rawValue: byte)
  }

  /// The end, to those that heard of the beginning, whatever was switched on or off meanwhile.
  @inline(never)
  package static func tellEnd(_ kind: EventKind, _ object: UInt, to subscribers: EventSubscribers) {
    let asked = subscribers.intersection(kind.subscribers)
    if asked.isEmpty || Instruments.isForkedChild { return }
    deliver(kind, object, 0, 0, to: asked.rawValue)
  }

  /// Inlined, so that the frame in which `mark` lies is that of the function which the engine has called.
  @inline(__always)
  private static func deliver(_ kind: EventKind, _ object: UInt, _ second: UInt64, _ third: UInt64, to bits: UInt8) {
    var mark: UInt8 = 0
    withUnsafeMutablePointer(to: &mark) { mark in
      let number = unsafeBitCast(kind, to: UInt8.self), site = UInt(bitPattern: mark)
      let first = bits & EventSubscribers.explorer.rawValue
      if first != 0 { sb_subscribers()[4]?(number, object, second, third, site) }
      var left = bits ^ first
      // Both bits of locks have one subscriber, which hears of an event once.
      let ofLocks = EventSubscribers.lockOrder.rawValue | EventSubscribers.lockStatistics.rawValue
      if left & ofLocks == ofLocks { left ^= EventSubscribers.lockStatistics.rawValue }
      while left != 0 {
        sb_subscribers()[left.trailingZeroBitCount]?(number, object, second, third, site)
        left &= left &- 1
      }
    }
  }

  private static func stopInChild(_ kind: EventKind) {
    guard kind.needsWorkers else { return }
    Misuse.stop(
      "a queue, group or semaphore is used in the child of a fork, where the worker threads do not exist: "
        + "call exec in the child, or fork before the first use")
  }
}
