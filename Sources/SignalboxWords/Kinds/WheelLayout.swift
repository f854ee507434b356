// WheelLayout.swift: in which of its lists a timer wheel has a key. The wheel is TimerWheel.swift (SignalboxDispatch),
// and who reads one from outside TimersView.swift (SignalboxView).
//
//   list   0 … 575   the slots: 64 of each level, those of the lowest first
//          576       opened: keys that are due, or that a turn has reached and that may be

/// The lists of a wheel.
@usableFromInline package enum WheelLayout {
  @inlinable package static var levels: Int { 9 }
  @inlinable package static var bitsPerLevel: UInt64 { 6 }
  @inlinable package static var bitsOfGrain: UInt64 { 10 }
  @inlinable package static var slotsPerLevel: Int { 64 }
  /// The list behind those of all slots; also how many slots there are.
  @inlinable package static var opened: Int { levels * slotsPerLevel }

  /// The level of a key that lies after the base: that of the highest group of bits in which they differ.
  @inlinable @inline(__always) package static func level(of key: UInt64, after base: UInt64) -> UInt64 {
    let difference = (key ^ base) &>> bitsOfGrain
    return difference == 0 ? 0 : (63 - UInt64(difference.leadingZeroBitCount)) / bitsPerLevel
  }

  /// The slot of a key on its level, which that group of bits names.
  @inlinable @inline(__always) package static func slot(of key: UInt64, on level: UInt64) -> UInt64 {
    (key &>> (bitsOfGrain + level * bitsPerLevel)) & 63
  }

  /// The list in which a wheel turned to `base` has a key, once it is no longer in `opened`; nil: in no slot's.
  package static func list(of key: UInt64, after base: UInt64) -> Int? {
    guard key > base else { return nil }
    let level = level(of: key, after: base)
    return Int(level) * slotsPerLevel + Int(slot(of: key, on: level))
  }
}
