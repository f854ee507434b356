// OperationQueue+Service.swift: in which class of service an operation runs: the more urgent of its own and its
// queue's. Which runner runs it is OperationQueue+Runners.swift.
//
// Each class has a dispatch queue of the operation queue's own, made at first need. A runner belongs to one class; an operation
// of another that it takes becomes an item of its own there. An operation that is more urgent than the queue asks for a runner of
// its class even if another was asked for already: that one may have to wait long.
import Foundation
import SignalboxNames
import SignalboxWords

extension OperationQueue {
  /// On an underlying queue, or carried elsewhere: whatever the class.
  static let anyRank = UInt8.max

  /// Where runners are submitted that are asked for now, and which class they belong to.
  final func runnersPlaceAssumingLocked() -> (queue: DispatchQueue, rank: UInt8) {
    if let underlying = innards.underlying { return (underlying, Self.anyRank) }
    let own = innards.service.rank
    let rank = innards.urgentRank ?? own
    innards.urgentRank = nil
    return (dispatchQueueAssumingLocked(rank), rank)
  }

  /// Where a runner of the rank is an item.
  final func placeAssumingLocked(ofRank rank: UInt8) -> DispatchQueue {
    innards.underlying ?? dispatchQueueAssumingLocked(rank == Self.anyRank ? innards.service.rank : rank)
  }

  private final func dispatchQueueAssumingLocked(_ rank: UInt8) -> DispatchQueue {
    let isOwn = rank == innards.service.rank
    if let queue = isOwn ? innards.ownQueue : innards.otherClasses[rank] { return queue }
    let service = isOwn ? innards.service : QualityOfService.ranked[Int(rank)]
    let queue = DispatchQueue(label: labelAssumingLocked, qos: service.dispatchClass, attributes: .concurrent)
    if isOwn { innards.ownQueue = queue } else { innards.otherClasses[rank] = queue }
    return queue
  }

  /// Where an operation in this state runs.
  final func dispatchQueueAssumingLocked(for state: OperationState) -> DispatchQueue {
    innards.underlying ?? dispatchQueueAssumingLocked(state.service(in: innards.service).rank)
  }

  /// Where an operation in this state runs; nil: where the runner of the class `rank` is.
  @inline(__always) final func placeAssumingLocked(of state: OperationState, unless rank: UInt8) -> DispatchQueue? {
    if rank == Self.anyRank || !state.asksForService && rank == innards.service.rank { return nil }
    return otherPlaceAssumingLocked(of: state, unless: rank)
  }
  @inline(never) private final func otherPlaceAssumingLocked(of state: OperationState, unless rank: UInt8) -> DispatchQueue? {
    let wanted = state.service(in: innards.service).rank
    return wanted == rank ? nil : dispatchQueueAssumingLocked(wanted)
  }

  /// Whether an operation in this state is more urgent than the queue; notes that a runner of its class is to come.
  @inline(never) final func noteUrgentAssumingLocked(_ state: OperationState) -> Bool {
    guard innards.underlying == nil, carrier == nil else { return false }
    let rank = state.service(in: innards.service).rank
    guard rank < innards.service.rank else { return false }
    innards.urgentRank = min(rank, innards.urgentRank ?? rank)
    return true
  }
}

extension Operation {
  /// The class in which it runs.
  final var effectiveService: QualityOfService {
    var ofQueue = QualityOfService.default
    withQueue { ofQueue = $0.qualityOfService }
    return state.service(in: ofQueue)
  }
}
