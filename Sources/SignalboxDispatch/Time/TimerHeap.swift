// TimerHeap.swift: armed timers by deadline: a heap of four children each. Pure: no clock, no thread.

/// What is to be submitted when its time comes.
struct ArmedTimer {
  /// Nanoseconds on the set's clock.
  var deadline: UInt64
  /// Order among equal deadlines: first armed, first fired.
  var sequence: UInt64
  /// +1
  var queue: Unmanaged<DispatchQueue>
  /// The item's two words, as they will stand in a slot.
  var first: UInt64
  var second: UInt64

  func isBefore(_ other: ArmedTimer) -> Bool {
    deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
  }
}

/// O(log n) to arm and to take the earliest.
struct TimerHeap {
  private var timers: [ArmedTimer] = []

  var earliest: UInt64? { timers.first?.deadline }
  var isEmpty: Bool { timers.isEmpty }
  var count: Int { timers.count }

  mutating func insert(_ timer: ArmedTimer) {
    var index = timers.count
    timers.append(timer)
    while index > 0 {
      let parent = (index - 1) / 4
      guard timer.isBefore(timers[parent]) else { break }
      timers[index] = timers[parent]
      index = parent
    }
    timers[index] = timer
  }

  /// Takes the earliest timer if its deadline is not after `now`.
  mutating func popDue(_ now: UInt64) -> ArmedTimer? {
    guard let top = timers.first, top.deadline <= now else { return nil }
    let last = timers.removeLast()
    if !timers.isEmpty { sink(last) }
    return top
  }

  /// Puts `timer` where the top was.
  private mutating func sink(_ timer: ArmedTimer) {
    let count = timers.count
    var index = 0
    while true {
      let firstChild = 4 * index + 1
      guard firstChild < count else { break }
      var least = firstChild
      for child in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, count))
      where timers[child].isBefore(timers[least]) { least = child }
      guard timers[least].isBefore(timer) else { break }
      timers[index] = timers[least]
      index = least
    }
    timers[index] = timer
  }
}
