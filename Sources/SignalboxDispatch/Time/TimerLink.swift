// TimerLink.swift: a place in a list that an armed timer carries with it: linking and unlinking without allocation, and without
// knowing the list. What the lists mean is TimerWheel.swift.

/// One place in one circular list. A list's head is a link as well; its key is a lower bound of its members' keys.
struct TimerLink {
  /// nil: in no list.
  var next: TimerLinkPointer?
  var previous: TimerLinkPointer?
  /// A point on the clock of the timer, in nanoseconds.
  var key: UInt64

  init(key: UInt64 = 0) { self.key = key }
}

// SAFETY of the pointers: a link lives as long as it is in a list; its owner takes it out before it frees it. Whoever has the
// lists has the lock that guards them.
typealias TimerLinkPointer = UnsafeMutablePointer<TimerLink>

extension TimerLinkPointer {
  /// Makes this link the head of an empty list.
  func makeHead() { initialize(to: TimerLink(next: self, previous: self)) }

  var isLinked: Bool { pointee.next != nil }
  /// Of a head: whether its list has no members.
  var isEmptyHead: Bool { pointee.next == self }

  /// Of a head: takes `link` in as the last member, and lowers the bound if it must.
  func append(_ link: TimerLinkPointer) {
    if isEmptyHead || link.pointee.key < pointee.key { pointee.key = link.pointee.key }
    let last = pointee.previous!
    link.pointee.previous = last
    link.pointee.next = self
    last.pointee.next = link
    pointee.previous = link
  }

  /// Takes this link out of its list, whichever that is. The head's bound stays as it is.
  func unlink() {
    let (before, after) = (pointee.previous!, pointee.next!)
    before.pointee.next = after
    after.pointee.previous = before
    (pointee.next, pointee.previous) = (nil, nil)
  }

  /// Of a head: moves all members of `other` behind its own, in their order.
  func appendAll(of other: TimerLinkPointer) {
    guard !other.isEmptyHead else { return }
    if isEmptyHead || other.pointee.key < pointee.key { pointee.key = other.pointee.key }
    let (first, last, end) = (other.pointee.next!, other.pointee.previous!, pointee.previous!)
    end.pointee.next = first
    first.pointee.previous = end
    last.pointee.next = self
    pointee.previous = last
    (other.pointee.next, other.pointee.previous) = (other, other)
  }
}

extension TimerLink {
  fileprivate init(next: TimerLinkPointer, previous: TimerLinkPointer) {
    self.init()
    (self.next, self.previous) = (next, previous)
  }
}
