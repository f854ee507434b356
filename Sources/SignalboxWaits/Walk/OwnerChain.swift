// OwnerChain.swift: the threads for which one thread waits in turn, one after the other: for those who would help them.
// Whether they form a cycle is WaitGraph.swift's question.
import SignalboxSystem

package enum OwnerChain {
  /// How far the chain is followed.
  package static let limit = 8

  /// The thread for which `owner` waits without limit at this moment, the one for which that one does, and so on. What
  /// lies on the way may change meanwhile: each was right for a moment.
  package static func behind(_ owner: UInt64) -> [UInt64] {
    var found: [UInt64] = []
    var here = owner
    while found.count < limit, let next = next(after: here), next != owner, !found.contains(next) {
      found.append(next)
      here = next
    }
    return found
  }

  private static func next(after owner: UInt64) -> UInt64? {
    guard let reading = WaitReading(of: owner) else { return nil }
    var trail = reading.trail
    guard !trail.isEmpty, case .owner(let next) = trail.follow(for: owner, places: .endThere), reading.stillStands else {
      return nil
    }
    return next
  }
}
