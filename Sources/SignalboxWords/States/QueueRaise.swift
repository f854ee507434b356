// QueueRaise.swift: who asks that a queue be served as more urgent than it is, by class, in one word. Pure: no atomics, no threads. What
// follows from it is DispatchQueue+Raise.swift.
//
//   63   62    60 59       45 44       30 29       15 14        0
//  ┌────┬────────┬───────────┬───────────┬───────────┬───────────┐
//  │ RA │   0    │  utility  │  default  │ initiated │interactive│
//  └────┴────────┴───────────┴───────────┴───────────┴───────────┘
//  counts  waiting threads and pending items of the class that ask; for the lowest class nobody asks
//  RA      somebody has asked since the queue was made: it may lie on a list where it does not belong any more

@usableFromInline package struct QueueRaise: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static func count(_ serviceClass: ServiceClass) -> Field {
    let shift = UInt64(serviceClass.rawValue) * 15
    return Field(shift..<shift + 15)
  }
  @inlinable package static var wasRaised: Field { Field(63..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("interactive", count(.interactive)), ("initiated", count(.initiated)), ("default", count(.standard)),
      ("utility", count(.utility)), ("wasRaised", wasRaised),
    ]
  }

  /// One more asks for the class; nil when the field is full, or the class is the lowest. Those that come with the
  /// field full ask for nothing new, but their ends are counted: with more than 32767 at once the raising ends early.
  @inlinable package func afterBegin(_ serviceClass: ServiceClass) -> Self? {
    guard serviceClass != .background, self[Self.count(serviceClass)] < Self.count(serviceClass).mask else { return nil }
    var next = self
    next[Self.count(serviceClass)] += 1
    next[Self.wasRaised] = 1
    return next
  }

  /// One less; nil when there is none: the queue was not among the asker's targets when it began.
  @inlinable package func afterEnd(_ serviceClass: ServiceClass) -> Self? {
    guard serviceClass != .background, self[Self.count(serviceClass)] > 0 else { return nil }
    var next = self
    next[Self.count(serviceClass)] -= 1
    return next
  }

  /// Nobody asks, and yet the queue may lie where it does not belong: its target was asked for.
  @inlinable package func afterNote() -> Self {
    var next = self
    next[Self.wasRaised] = 1
    return next
  }

  /// The most urgent class that is asked for; nil if nobody asks.
  @inlinable package var mostUrgent: ServiceClass? {
    ServiceClasses(.interactive, before: .background).first { self[Self.count($0)] > 0 }
  }

  @usableFromInline package var brokenInvariant: String? {
    mostUrgent != nil && self[Self.wasRaised] == 0 ? "a class is asked for, and none ever was" : nil
  }
}
