// OperationCycle.swift: operations in queues that wait for one another in a cycle: found when the last of them is
// queued, or the last dependency added. How it is searched for is CycleSearch.swift; when it is reported
// StandingCycles.swift; waits of threads are OperationWaits.swift.
//
// The cycle goes through the operation that was just queued. It is searched for along what that one waits for and along
// what waits for it, in turn, edge by edge, over operations that are in queues; when either search comes to its end
// there is none. So a chain of any length that is built from one end costs a step or two for each operation. Of many
// that are added at once each is searched from before the next is queued, for the same reason.
//
// What the edges are is described in Operation+Predecessors.swift. A barrier itself never closes a cycle: when it is
// added nothing is behind it. Whatever something before a barrier waits for is marked, once; a cycle over a barrier
// consists of marked ones from there on, so for others queues need not be searched.
import Foundation
import SignalboxDiagnosis
import SignalboxNames
import SignalboxSystem
import SignalboxWords

enum OperationCycle {
  private static let barrierNote = Atomic32(0)
  /// Whether a barrier was ever added. Until then queues need not be asked.
  // relaxed: a thread that finds a barrier in a queue has had that queue's lock, and sees the note; nothing else
  // depends on it.
  static var barriersExist: Bool { barrierNote.loadRelaxed() == 1 }
  // relaxed: published by the lock of the queue, which the barrier is added under next.
  static func noteBarrier() { barrierNote.storeRelaxed(1) }

  /// One of several that are added at once: queued, but not in the queue's lists yet, where barriers count. So what is marked is left
  /// until it is there.
  static func check(queuedAmongOthers operation: Operation) {
    let state = operation.state
    guard state[OperationState.dependents] == 1, state[OperationState.barred] == 0, state.isStuck else { return }
    look(through: operation, false)
  }

  /// The rest of them, once all are in the lists.
  static func check(addedTogether operations: [Operation], isBehindBarrier: Bool) {
    guard barriersExist else { return }
    for operation in operations where operation.state[OperationState.barred] == 1 {
      check(queued: operation, isBehindBarrier: isBehindBarrier)
    }
  }

  static func check(queued operation: Operation, isBehindBarrier: Bool) {
    let state = operation.state
    guard state[OperationState.dependents] == 1 else { return }
    let overBarriers = state[OperationState.barred] == 1
    if operation.isStuck || overBarriers && isBehindBarrier { look(through: operation, overBarriers) }
  }

  static func check(edgeFrom operation: Operation, to dependency: Operation) {
    let overBarriers = barriersExist && operation.isBarred
    if overBarriers { mark([dependency]) }
    guard operation.isStuck, dependency.isHeldUp(overBarriers) || operation === dependency else { return }
    look(through: operation, overBarriers)
  }

  /// A barrier was added behind `operations`, which wait for dependencies.
  static func check(barred operations: [Operation]) {
    // What others have added behind it meanwhile was not marked yet.
    for operation in mark(operations) where operation.behindBarrier != nil { look(through: operation, true) }
  }

  /// Marks them and all that they depend on; what was not marked before.
  @discardableResult private static func mark(_ operations: [Operation]) -> [Operation] {
    var (stack, new) = (operations, [Operation]())
    while let operation = stack.popLast() {
      guard operation.moved({ $0.afterBarred() }) else { continue }
      new.append(operation)
      stack += operation.needed { !$0.state.isFinished }
    }
    return new
  }

  private static func look(through operation: Operation, _ overBarriers: Bool) {
    // Mostly one side has nothing in a queue yet: seen without building a search.
    guard operation.mayCloseCycle(overBarriers), Deadlock.policy != .ignore else { return }
    var up = CycleSearch(from: operation, .up, overBarriers: overBarriers)
    var down = CycleSearch(from: operation, .down, overBarriers: overBarriers)
    while true {
      switch up.step() {
      case .goOn: break
      case .end: return
      case .found(let cycle): return note(cycle)
      }
      switch down.step() {
      case .goOn: break
      case .end: return
      case .found(let cycle): return note(cycle.reversed())
      }
    }
  }

  /// `cycle`: each waits for the next, the last for the first.
  private static func note(_ cycle: [Operation]) {
    // From the same one on, whichever thread finds it.
    guard let start = cycle.indices.min(by: { ObjectIdentifier(cycle[$0]) < ObjectIdentifier(cycle[$1]) }) else { return }
    let ordered = Array(cycle[start...] + cycle[..<start])
    let isPlain = ordered.indices.allSatisfy { place in
      if case .dependency = ordered[place].reason(toAwait: ordered[(place + 1) % ordered.count]) { true } else { false }
    }
    let weakly = ordered.map { WeakOperation(operation: $0) }
    let additions = additions(ordered)
    StandingCycles.note(
      .init(
        identity: ordered.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) },
        hint: "take one of the dependencies away\(isPlain ? "" : ", or add what is depended on before the barrier"), or cancel "
          + "one of them: until then none of these operations starts"
      ) { standing(weakly, additions) })
  }

  /// How many dependencies each was ever given. What depends on another still, and was given none since, has depended on it all
  /// the time.
  private static func additions(_ cycle: [Operation]) -> [UInt64] { cycle.map { $0.state[OperationState.additions] } }

  /// In words, with the barriers in between, if it has stood since it was noted; else nil: something is gone, has finished, was
  /// cancelled, or a dependency taken away. Where one was added as well no code can know that, and it is noted anew.
  private static func standing(_ cycle: [WeakOperation], _ noted: [UInt64]) -> [DeadlockReport.Object]? {
    let alive = cycle.compactMap(\.operation)
    var found = alive.count == cycle.count ? members(alive) : nil
    if found != nil, additions(alive) != noted {
      found = nil
      note(alive)
    }
    // Their queues keep them; but one that is being taken off may be kept by this function alone by now.
    _ = LastReferences.letGo(of: consume alive)
    return found
  }

  private static func members(_ cycle: [Operation]) -> [DeadlockReport.Object]? {
    var ring: [DeadlockReport.Object] = []
    for (index, operation) in cycle.enumerated() {
      ring.append(named(operation, operation.title))
      switch operation.reason(toAwait: cycle[(index + 1) % cycle.count]) {
      case .dependency: break
      case .barrier(let barrier, let queue): ring.append(named(barrier, "\(barrier.title) of \(queue.title)"))
      case nil: return nil
      }
    }
    return ring
  }

  private static func named(_ operation: Operation, _ name: String) -> DeadlockReport.Object {
    .init(kind: .operation, address: UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque()), name: name)
  }
}

extension Operation {
  /// In a queue and waiting for dependencies, as far as can be seen forever.
  final var isStuck: Bool { state.isStuck }
  /// The same, or behind a barrier if these count.
  final func isHeldUp(_ overBarriers: Bool) -> Bool { isStuck || overBarriers && behindBarrier != nil }
  /// Something before a barrier waits for it, or is it.
  fileprivate final var isBarred: Bool { state[OperationState.barred] == 1 || beforeBarrier != nil }

  /// Whether something holds it up, and it something. What may be behind a barrier is asked without the lock.
  fileprivate final func mayCloseCycle(_ overBarriers: Bool) -> Bool {
    let isHeld = hasStuckNeed || overBarriers && (behindBarrier != nil || needed().contains { $0.behindBarrier != nil })
    return isHeld && (hasStuckDependent || overBarriers && beforeBarrier != nil)
  }
}

// MARK: letting go of the program's objects on a thread where none of its code must run

/// For threads that read objects of the program's, and may be the last to refer to one.
enum LastReferences {
  /// Lets go of them; false: some may be freed by that, which then happens on the pool.
  static func letGo<Object: NSObject>(of objects: consuming [Object]) -> Bool {
    let last = objects.indices.filter { isKnownUniquelyReferenced(&objects[$0]) }
    if last.isEmpty { return true }
    // The worker's alone: a reference of the calling thread's could be the last, if the worker is quicker.
    let doomed = Unmanaged.passRetained(Doomed(objects))
    objects = []
    DispatchQueue.global().async { doomed.release() }
    return false
  }

  // SAFETY of @unchecked: only let go of.
  private final class Doomed: @unchecked Sendable {
    private let objects: [NSObject]
    init(_ objects: [NSObject]) { self.objects = objects }
  }
}
