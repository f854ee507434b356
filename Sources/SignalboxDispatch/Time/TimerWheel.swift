// TimerWheel.swift: links by the point of time that is their key, in buckets that grow with the distance. Pure: no clock, no
// thread, no lock. Which timers lie in which wheel is TimerSet.swift.
//
// Nine levels of 64 slots. `base` is the last point the wheel was turned to; a key lies on the level of the highest group of
// six bits in which it differs from the base, in the slot that this group names:
//   level     0            1           2          3          …   8
//   a slot    1.024 µs     65.5 µs     4.19 ms    268 ms         9 years
//   INV-1  the keys of a lower level come before those of a higher one, those of a lower slot before those of a higher one
//   INV-2  no slot above level 0 is the one that the base itself would lie in
//   INV-3  a head's key is not later than any key in its slot; a slot with a member has its bit in `occupied`
// A slot is only a bucket: the head of the first one with members bounds the earliest key, and is that key unless the link that
// had it was removed. Turning the wheel opens the slots it reaches; what lies in them and is not due moves to a lower level, at
// most eight times in a link's life. So insertion, removal and taking what is due are O(1), amortised.
import SignalboxSystem
import SignalboxWords

struct TimerWheel: ~Copyable {
  private static var levels: Int { WheelLayout.levels }
  private static var bitsPerLevel: UInt64 { WheelLayout.bitsPerLevel }
  private static var bitsOfGrain: UInt64 { WheelLayout.bitsOfGrain }
  private static var slotsPerLevel: Int { WheelLayout.slotsPerLevel }

  /// The slots of all levels, and at the end `opened`.
  private let heads: TimerLinkPointer
  /// A bit for each slot of a level that may have members.
  private let occupied: UnsafeMutablePointer<UInt64>
  private(set) var base: UInt64
  private(set) var count = 0
  /// How often a link was put into a list or taken out for a check: what the tests hold against the number of timers.
  private(set) var moves: UInt64 = 0

  /// An empty wheel, turned to `base`.
  init(base: UInt64) {
    let total = Self.levels * Self.slotsPerLevel
    heads = .allocate(capacity: total + 1)
    for index in 0...total { (heads + index).makeHead() }
    occupied = .allocate(capacity: Self.levels)
    occupied.initialize(repeating: 0, count: Self.levels)
    self.base = base
  }

  deinit {
    heads.deallocate()
    occupied.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  /// Links that are due, or that a turn has reached and that may be.
  private var opened: TimerLinkPointer { heads + WheelLayout.opened }

  /// Takes in `link`, whose key says where it belongs; one at or before the base counts as reached.
  mutating func insert(_ link: TimerLinkPointer) {
    count += 1
    place(link)
  }

  /// Takes out a link that lies in this wheel.
  mutating func remove(_ link: TimerLinkPointer) {
    link.unlink()
    count -= 1
  }

  private mutating func place(_ link: TimerLinkPointer) {
    moves += 1
    let key = link.pointee.key
    guard key > base else { return opened.append(link) }
    let level = WheelLayout.level(of: key, after: base), slot = WheelLayout.slot(of: key, on: level)
    occupied[Int(level)] |= 1 &<< slot
    (heads + (Int(level) * Self.slotsPerLevel + Int(slot))).append(link)
  }

  /// A point that no key comes before: the earliest key itself, unless the link that had it was removed. nil without links.
  mutating func earliest() -> UInt64? {
    if !opened.isEmptyHead { return opened.pointee.key }
    for level in 0..<Self.levels {
      while occupied[level] != 0 {
        let slot = occupied[level].trailingZeroBitCount
        let head = heads + (level * Self.slotsPerLevel + slot)
        if !head.isEmptyHead { return head.pointee.key }
        occupied[level] &= ~(1 &<< UInt64(slot))  // its last member was removed
      }
    }
    return nil
  }

  /// Turns the wheel to `now`: every slot that it reaches is opened, and `popDue` has to be called until it is done. Turning it
  /// back opens them all.
  mutating func turn(to now: UInt64) {
    for level in 0..<Self.levels {
      let shift = Self.bitsOfGrain + UInt64(level) * Self.bitsPerLevel
      // Overshifting, on the last level, gives 0.
      let staysInBlock = (now >> shift) >> Self.bitsPerLevel == (base >> shift) >> Self.bitsPerLevel
      let isBack = now < base
      let last = (now >> shift) & 63
      open(level, staysInBlock && !isBack ? ~0 &>> (63 - last) : ~0)
      if staysInBlock && !isBack { break }
    }
    base = now
  }

  private mutating func open(_ level: Int, _ mask: UInt64) {
    var slots = occupied[level] & mask
    occupied[level] &= ~mask
    while slots != 0 {
      let slot = slots.trailingZeroBitCount
      slots &= slots &- 1
      opened.appendAll(of: heads + (level * Self.slotsPerLevel + slot))
    }
  }

  /// How far behind an address the words lie that tell readers from outside what is in the wheel.
  struct Places: Equatable { var heads, base, count, moves: UInt }

  /// Where those words are, behind `start`; nil: not where readers would find them.
  mutating func places(behind start: UInt) -> Places? {
    let wanted = UInt(bitPattern: heads)
    let found = withUnsafeMutablePointer(to: &self) { wheel -> UInt? in
      // SAFETY: the words of a wheel that lies still for the call; they are read.
      let words = UnsafeRawPointer(wheel), size = MemoryLayout<Self>.size
      let place = stride(from: 0, to: size - 7, by: 8).first { words.load(fromByteOffset: $0, as: UInt.self) == wanted }
      return place.map { UInt(bitPattern: words) &- start &+ UInt($0) }
    }
    guard let found else { return nil }
    func place(_ word: inout UInt64) -> UInt { withUnsafeMutablePointer(to: &word) { UInt(bitPattern: $0) } &- start }
    var tally = UInt(0)
    withUnsafeMutablePointer(to: &count) { tally = UInt(bitPattern: $0) &- start }
    let places = Places(heads: found, base: place(&base), count: tally, moves: place(&moves))
    // A wheel that was copied for this call lies elsewhere.
    let isNear = [places.heads, places.base, places.count, places.moves].allSatisfy { (16..<Self.farthest).contains($0) }
    return isNear ? places : nil
  }
  /// No object with a wheel is longer, in bytes.
  private static var farthest: UInt { 512 }

  enum Popped {
    /// Taken out: its key is not after the base.
    case due(TimerLinkPointer)
    /// Nothing is open any more.
    case done
    /// The budget is spent; there is more to check.
    case pause
  }

  /// Checks what the last turn opened: takes out the next link that is due, puts others where they belong now. Each link that
  /// is checked takes one from `budget`.
  mutating func popDue(budget: inout Int) -> Popped {
    while let link = opened.pointee.next, link != opened {
      guard budget > 0 else { return .pause }
      budget -= 1
      if let next = link.pointee.next { prefetchMemory(next) }
      link.unlink()
      if link.pointee.key <= base {
        moves += 1
        count -= 1
        return .due(link)
      }
      place(link)
    }
    return .done
  }
}
