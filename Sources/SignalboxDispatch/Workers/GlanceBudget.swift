// GlanceBudget.swift: how often the sampler may glance at what workers were left. Pure: the sampler's, which gives the time.
//
// A reading costs some 18 us of processors, the wake of the sampler included: so it may take one in two milliseconds, and sixteen in a row when
// it has taken none for a while. That is less than a hundredth of a processor, however often threads ask.

struct GlanceBudget {
  /// Readings in a row.
  static let most: UInt64 = 16
  /// Nanoseconds for which one reading is allowed.
  static let each: UInt64 = 2_000_000

  /// The moment from which on readings have been saved up; later than now while more were taken than that.
  private var since: UInt64 = 0

  /// Whether a reading may be taken at this moment.
  func allows(now: UInt64) -> Bool { now >= since + Self.each }

  /// A reading is taken, allowed or not: one that was asked for is.
  mutating func spend(now: UInt64) {
    since = max(since, now - min(now, Self.most * Self.each)) + Self.each
  }
}
