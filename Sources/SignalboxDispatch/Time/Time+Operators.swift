// Time+Operators.swift: + and - between points in time and spans. The saturating sums themselves are RawTime.swift.
//
// All of them saturate: past the last point is the distant future, before the first is the earliest time of that clock, and
// the distant future stays what it is. None of them traps.

/// The point `interval` after `time`. Past the range it is the distant future; `never` after any time is the distant future.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The point `interval` before `time`. Before the range it is the earliest time; `never` before a time is the earliest time.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The point `seconds` after `time`, fractions of a nanosecond dropped; NaN gives the distant future.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The point `seconds` before `time`, fractions of a nanosecond dropped; NaN gives the distant future.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}

/// The point `interval` after `time`. Past the range it is the distant future; `never` after any time is the distant future.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The point `interval` before `time`. Before the range it is the earliest time; `never` before a time is the earliest time.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The point `seconds` after `time`, fractions of a nanosecond dropped; NaN gives the distant future.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The point `seconds` before `time`, fractions of a nanosecond dropped; NaN gives the distant future.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}
