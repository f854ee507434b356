// SanitizedDeeds.swift: what the program does to an object without submitting anything, told to the thread sanitizer: it lets the object
// begin, gives it data or values, cancels it, lets go of it. The sanitizer's runtime stands before none of these functions, but for
// `dispatch_resume`. Without the sanitizer nothing happens.
//
// Places of an object, 8 bytes apart; a source has its core's, since its handlers are items of the core:
//   0, 1   of a queue: items that run alone, and those that run beside others (SanitizedWork)
//   2      of a queue: its values by key
//   3      of any object: its users have let go of it
// Of a descriptor that channels use:
//   0      handlers and barriers of its channels have returned: the cleanup comes after them
//   1      a barrier has returned: what was scheduled behind it comes after it
// Of a channel: 1, it was resumed or closed. Of an operation: 0, a call of its handler has returned: the next comes after it.
import SignalboxSystem

package enum SanitizedDeeds {
  private enum Place {
    static let values: UInt = 2
  }
  static let users: UInt = 3
  enum ChannelPlace {
    static let ended: UInt = 0
    static let barrier: UInt = 1
    static let deeds: UInt = 1
    static let calls: UInt = 0
  }

  /// What the calling thread has done comes before what the object runs from now on.
  package static func causes(_ object: DispatchObject) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(object.sanitizedCause) }
  }

  /// The calling thread lets go of the object.
  package static func letsGo(of object: AnyObject) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(object, users) }
  }

  /// The calling thread ends the object: after all that its users did while they had it, and after what ran there.
  static func ends(_ object: AnyObject) {
    if !SanitizedOrder.isWatched { return }
    for place in [0, 1, users] { SanitizedOrder.follow(object, place) }
  }

  /// The calling thread ends the object, and with it its users' part in what it is made of.
  static func hands(_ object: AnyObject, over part: AnyObject) {
    if !SanitizedOrder.isWatched { return }
    ends(object)
    letsGo(of: part)
  }

  /// A value of the queue is set; a value of the queue was found.
  static func setsValue(of queue: DispatchQueue) {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(queue, Place.values) }
  }
  static func findsValue(of queue: DispatchQueue) {
    if SanitizedOrder.isWatched { SanitizedOrder.follow(queue, Place.values) }
  }
}
