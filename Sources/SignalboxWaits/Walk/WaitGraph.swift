// WaitGraph.swift: the walk from a thread that is about to sleep along "waits for what the next holds", searching for
// itself.
//
// Certain means: every thread of the chain has left a record, none of the records changed while the whole chain was
// read twice, none of the waits ends by time, and each word named the next thread both times. A thread inside a wait
// gives nothing up, so such a chain never opens again. Takes no lock, allocates nothing, never faults.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// One edge of a chain: `owner` waits for `object`, which the next thread of the chain holds.
package struct WaitStep {
  package var owner: UInt64 = 0
  package var sequence: UInt64 = 0
  /// The word that led on, and the way to it.
  package var word = OwnerWord(bits: 0)
  package var way = OwnerTrail.Way()
  /// The next thread holds it as one of several (a reader) rather than by the word.
  package var throughHolder = false
  package var next: UInt64 = 0

  package init(
    owner: UInt64 = 0, sequence: UInt64 = 0, word: OwnerWord = OwnerWord(bits: 0), way: OwnerTrail.Way = OwnerTrail.Way()
  ) {
    (self.owner, self.sequence, self.word, self.way) = (owner, sequence, word, way)
  }
}

/// A chain that leads back to its first thread.
package struct WaitCycle {
  package static let limit = 64
  package var steps: InlineArray<64, WaitStep> = InlineArray(repeating: WaitStep())
  package var count = 0

  /// The same for the same threads that want the same things, whichever thread found it.
  package var signature: UInt64 {
    var sum: UInt64 = 0
    for index in 0..<count {
      sum &+= Self.mixed(steps[index].owner, Record(of: steps[index].owner)[.object])
    }
    return sum | 1
  }

  /// One participant mixed by itself; the sum does not depend on where the chain begins. By what it wants, not by the
  /// record's sequence: one wait may go through several records, at a queue's gate and then in its list.
  package static func mixed(_ owner: UInt64, _ wanted: UInt64) -> UInt64 {
    var mixed = (owner << 32) ^ wanted &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed >> 29
    return mixed &* 0xBF58_476D_1CE4_E5B9
  }
}

/// The walk.
package enum WaitGraph {
  /// Whether the wait of the thread `owner` leads to one that waits itself, or to several that have what it wants: else
  /// there is no cycle through it. Most waits lead no further, and what a walk remembers takes more of the stack than
  /// all else that a wait does.
  package static func leadsOn(from owner: UInt64) -> Bool {
    guard let wait = WaitReading(of: owner) else { return false }
    var trail = wait.trail
    if trail.isEmpty { return false }
    return switch trail.follow(for: owner) {
    case .owner(let next): next == owner || WaitReading(of: next) != nil
    case .waiter, .holders: true
    case .nobody, .place: false
    }
  }

  /// The certain cycle through the thread `owner`, which has published its wait; nil if there is none.
  package static func cycle(from owner: UInt64) -> WaitCycle? {
    var walk = Walk(start: owner)
    guard walk.visit(owner, depth: 0), walk.isUnchanged() else { return nil }
    return walk.cycle
  }
}

private struct Walk {
  package let start: UInt64
  package var cycle = WaitCycle()
  // Threads already visited, from which nothing leads back.
  private var seen: InlineArray<64, UInt64> = InlineArray(repeating: 0)
  private var seenCount = 0

  package init(start: UInt64) { self.start = start }

  /// Whether a chain leads from `owner` back to the start; the cycle's first `depth` steps are set.
  package mutating func visit(_ owner: UInt64, depth: Int) -> Bool {
    guard depth < WaitCycle.limit, let wait = WaitReading(of: owner) else { return false }
    var trail = wait.trail
    if trail.isEmpty { return false }
    let end = trail.follow(for: owner)
    cycle.steps[depth] = WaitStep(owner: owner, sequence: wait.sequence, word: trail.word, way: trail.way)
    cycle.count = depth + 1
    switch end {
    case .waiter: return isOwnLock(trail.word, owner, depth)
    case .owner(let next): return follow(next, depth: depth, throughHolder: false)
    case .holders: return visitHolders(of: trail.word, waiter: owner, depth: depth)
    case .nobody, .place: return false
    }
  }

  /// The word names the waiter itself. Mostly it was granted what it waits for and is about to wake. But no thread
  /// hands a lock over: a thread that has not even parked yet and finds its own name there has asked twice.
  private mutating func isOwnLock(_ word: OwnerWord, _ owner: UInt64, _ depth: Int) -> Bool {
    guard depth == 0, owner == start, word.reading == .lock, ThreadSlot.current.pointee.owner == owner else { return false }
    return follow(owner, depth: 0, throughHolder: false)
  }

  private mutating func follow(_ next: UInt64, depth: Int, throughHolder: Bool) -> Bool {
    cycle.steps[depth].next = next
    cycle.steps[depth].throughHolder = throughHolder
    if next == start { return true }
    for index in 0..<seenCount where seen[index] == next { return false }
    guard seenCount < seen.count else { return false }
    seen[seenCount] = next
    seenCount += 1
    if visit(next, depth: depth + 1) { return true }
    cycle.count = depth + 1
    return false
  }

  /// Any of the threads inside that never comes out keeps the waiter out forever.
  private mutating func visitHolders(of word: OwnerWord, waiter: UInt64, depth: Int) -> Bool {
    // The waiter itself first: a thread that is inside already and asks again waits for itself.
    if Record(of: waiter).isInside(word.address), waiter == start {
      return follow(waiter, depth: depth, throughHolder: true)
    }
    return WaitRecord.contains(inside: word.address) { _, owner in
      owner != waiter && follow(owner, depth: depth, throughHolder: true)
    }
  }

  /// The second reading: nothing of the chain has moved since the first.
  package func isUnchanged() -> Bool { (0..<cycle.count).allSatisfy { isUnchanged(cycle.steps[$0]) } }

  private func isUnchanged(_ step: WaitStep) -> Bool {
    guard let wait = WaitReading(of: step.owner), wait.sequence == step.sequence else { return false }
    var trail = wait.trail
    guard trail.goOn(along: step.way) else { return false }
    let answer = trail.read()
    if step.throughHolder {
      // That it is inside was read from its record, which may have been about to become another wait's. What is asked
      // of its own step comes after.
      guard answer.owner == 0, answer.blockedByHolders, Record(of: step.next).isInside(step.word.address) else {
        return false
      }
    } else if answer.owner != step.next {
      return false
    }
    return wait.stillStands
  }
}
