// PoolDuties.swift: what a pool leaves to those whose items it holds. It knows two words of each, and not what they
// are.
//
// All of it is rare: nothing here is called for each item, nor for each turn.

struct PoolDuties: Sendable {
  /// What the thread of a worker does: runs what the pool has for it, until it is to end.
  let live: @Sendable (Worker) -> Void
  /// Puts a turn, which was taken out of a worker's own slot, with its reference on the list where it belongs.
  let putBack: @Sendable (_ turn: UInt64) -> Void
  /// Notes of a turn that it was taken off a list which is served here only for now.
  let isServedElsewhere: @Sendable (_ turn: UInt64) -> Void
  /// Has a worker tell, between two items, which of its turns hold members of groups that threads wait for.
  let findMembers: @Sendable (Worker) -> Void
}
