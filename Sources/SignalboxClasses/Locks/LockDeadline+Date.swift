// LockDeadline+Date.swift: when a wait with a date ends. A date is a time of day: a wait follows the wall clock when it is set.
import Foundation
import SignalboxLocks

extension LockDeadline {
  /// The point `date` on the wall clock. Dates before 1970 and those that are no number have passed; those after 2500 never come.
  init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    guard seconds > 0 else {
      self = .wall(0)
      return
    }
    // Nanoseconds fill 64 bits in the year 2554. Rounded up: a wait never ends before its date.
    self = seconds < 16_725_225_600 ? .wall(UInt64((seconds * 1e9).rounded(.up))) : .never
  }
}
