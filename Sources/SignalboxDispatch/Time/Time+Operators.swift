// Time+Operators.swift: + and - between points in time and spans. The saturating sums themselves are RawTime.swift.
//
// All of them saturate: past the last point is the distant future, before the first is the earliest time of that clock, and
// the distant future stays what it is. None of them traps.

/// The time `interval` after `time`. Saturates at `distantFuture`; any time plus `never` is `distantFuture`.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The time `interval` before `time`. Saturates at the earliest time; any time minus `never` is the earliest time.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The time `seconds` after `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The time `seconds` before `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}

/// The time `interval` after `time`. Saturates at `distantFuture`; any time plus `never` is `distantFuture`.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The time `interval` before `time`. Saturates at the earliest time; any time minus `never` is the earliest time.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The time `seconds` after `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The time `seconds` before `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}
