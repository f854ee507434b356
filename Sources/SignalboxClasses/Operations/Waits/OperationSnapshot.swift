// OperationSnapshot.swift: all operations that waiting threads depend on, and the queues that these are in, as one scan
// of the stall detector finds them. Each has a node, and why it does not move. What keeps them alive meanwhile, and
// puts it into words, is OperationNodes.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Why an operation, or a place of a queue, is not there yet.
enum OperationHold {
  /// It is, or nothing keeps it that is known.
  case nothing
  /// It runs in `main()` on this thread, or what follows from its end is done there.
  case thread(Int32)
  /// It has begun, and no call is known whose return will end it.
  case untold
  /// It is in no queue.
  case unqueued
  /// It depends on these.
  case operations([UInt])
  /// Everything before the barrier that it is, or the barrier before it, comes first.
  case barrier([UInt])
  /// A subclass says that it is not ready.
  case notReady
  /// It waits for a place of the queue, which is the node with this key.
  case place(UInt)
  /// A place: the queue starts nothing; all are taken by these; an item of a dispatch queue, or of the pool, has to get its turn.
  case suspended, limitZero, taken([UInt]), turn(WaitNode.Need, on: String)
  /// A queue: these are left.
  case contents([UInt])
}

/// One scan.
struct OperationSnapshot {
  /// Everything beyond counts as free.
  static let limit = 100_000

  /// Every object that is read, by its address.
  private(set) var kept: [UInt: NSObject] = [:]
  private(set) var nodes: [WaitNode] = []
  /// By the nodes' addresses.
  private(set) var holds: [UInt: OperationHold] = [:]
  private var waiting: [Operation] = []
  private var views: [UInt: OperationQueueView] = [:]

  init(_ awaited: [NSObject]) {
    for object in awaited {
      if let queue = object as? OperationQueue { addContents(of: queue) }
      if let operation = object as? Operation { enter(operation) }
    }
    while let operation = waiting.popLast() { look(at: operation) }
    views = [:]
  }

  static func address(_ object: NSObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }
  /// The node for a place of a queue: no object has an odd address.
  static func place(of queue: OperationQueue) -> UInt { address(queue) | 1 }

  // MARK: nodes

  private mutating func enter(_ operation: Operation) {
    let address = Self.address(operation)
    if kept.count < Self.limit, kept.updateValue(operation, forKey: address) == nil { waiting.append(operation) }
  }
  private mutating func enter(_ operations: [Operation]) -> [UInt] {
    for operation in operations { enter(operation) }
    return operations.map(Self.address)
  }

  private mutating func add(_ address: UInt, _ hold: OperationHold, _ facts: UInt64...) {
    holds[address] = hold
    var hasher = Hasher()
    hasher.combine(facts)
    hasher.combine(hold.addresses)
    let state: WaitNode.State = hold.need.map { .needs($0) } ?? .free
    // What it does, its thread does.
    nodes.append(WaitNode(.object(address), stamp: UInt64(bitPattern: Int64(hasher.finalize())), state, acts: false))
  }

  private mutating func addContents(of queue: OperationQueue) {
    kept[Self.address(queue)] = queue
    let left = enter(view(of: queue).operations)
    add(Self.address(queue), .contents(left))
  }

  private mutating func view(of queue: OperationQueue) -> OperationQueueView {
    let address = Self.address(queue)
    if let view = views[address] { return view }
    kept[address] = queue
    let view = queue.view(atMost: Self.limit)
    views[address] = view
    addPlace(view)
    return view
  }

  private mutating func addPlace(_ view: OperationQueueView) {
    let started = view.started
    let hold: OperationHold
    if view.isSuspended {
      hold = .suspended
    } else if view.limit == 0 {
      hold = .limitZero
    } else if view.isFull {
      // One that was taken off and not yet put back, or is not seen.
      hold = started.count < view.running ? .nothing : .taken(enter(started))
    } else {
      hold = turn(on: view.underlying)
    }
    add(Self.place(of: view.queue), hold, UInt64(view.running))
  }

  private func turn(on queue: DispatchQueue?) -> OperationHold {
    guard let queue else { return .turn(.all([.pool]), on: "a thread of the pool") }
    return WaitNode.Need(ofTurn: queue.turnWords).map { .turn($0, on: "its turn on \(queue.title)") } ?? .nothing
  }

  private mutating func look(at operation: Operation) {
    // The stamp first: what moves afterwards is found by the second scan.
    let state = operation.state
    let runner = operation.runner.loadAcquire()  // acquire: not read before the state, or a stamp would mix two moments
    let (hold, place) = hold(of: operation, state, runner)
    add(Self.address(operation), hold, state.rawValue, runner, UInt64(place.rawValue))
  }

  // MARK: what keeps it

  private mutating func hold(
    of operation: Operation, _ state: OperationState, _ runner: UInt64
  ) -> (OperationHold, OperationLinks.Place) {
    if state.isSettled { return (.nothing, .left) }
    if state.isFinished || state.isInMain {
      let thread = ThreadTable.entry(owner: runner)?.thread
      return (thread.map { .thread($0) } ?? .nothing, .started)
    }
    var queue: OperationQueue?
    operation.withQueue { queue = $0 }
    guard let queue else { return (state.isExecuting ? .untold : .unqueued, .outside) }
    let view = view(of: queue)
    // Added or gone since the queue was checked.
    guard let index = view.index[ObjectIdentifier(operation)] else { return (.nothing, .outside) }
    if state.isExecuting || view.places[index] == .started { return (.untold, .started) }
    return (hold(ofWaiting: operation, state, view, index), view.places[index])
  }

  private mutating func hold(
    ofWaiting operation: Operation, _ state: OperationState, _ view: OperationQueueView, _ index: Int
  ) -> OperationHold {
    switch view.places[index] {
    case .ready: return .place(Self.place(of: view.queue))
    case .held: return .barrier(enter(Array(view.predecessors(at: index, isBarrier: state.isBarrier))))
    default: break
    }
    if state.isReady { return .notReady }
    let open = enter(operation.openNeeds)
    return open.isEmpty ? .nothing : .operations(open)
  }
}

extension OperationHold {
  /// What must move before it does; nil: nothing. What has not begun may also be cancelled, or started by hand, its dependencies
  /// be taken away, the maximum of its queue be raised.
  var need: WaitNode.Need? {
    switch self {
    case .nothing: nil
    case .thread(let number): .all([.thread(number)])
    case .untold, .unqueued, .notReady, .suspended, .limitZero: .anyone
    case .operations(let addresses), .barrier(let addresses): .changeable(.all(addresses.map { .object($0) }))
    case .place(let address): .changeable(.all([.object(address)]))
    case .taken(let addresses): .changeable(.any(addresses.map { .object($0) }))
    case .contents(let addresses): .all(addresses.map { .object($0) })
    case .turn(let need, _): need
    }
  }

  /// The layer's nodes that it leads on to.
  var addresses: [UInt] {
    switch self {
    case .operations(let addresses), .barrier(let addresses), .contents(let addresses), .taken(let addresses): addresses
    case .place(let address): [address]
    case .nothing, .thread, .untold, .unqueued, .notReady, .suspended, .limitZero, .turn: []
    }
  }
}

// MARK: a queue as one scan finds it

/// What a queue holds, all of it read while its lock was held.
struct OperationQueueView {
  let queue: OperationQueue
  /// In the order of adding.
  var operations: [Operation] = []
  var places: [OperationLinks.Place] = []
  /// For each the barrier that comes before it: its index, or -1.
  var barriers: [Int] = []
  /// Where each operation is in the lists above.
  var index: [ObjectIdentifier: Int] = [:]
  var limit = 0
  var running = 0
  var isSuspended = false
  /// Where its operations run; nil: on threads of the pool.
  var underlying: DispatchQueue?

  /// Those that take a place.
  var started: [Operation] { operations.indices.filter { places[$0] == .started }.map { operations[$0] } }
  var isFull: Bool { running >= limit }
}

extension OperationQueue {
  /// The queue with at most `most` of its operations.
  final func view(atMost most: Int) -> OperationQueueView {
    lock.withLock {
      var view = OperationQueueView(queue: self)
      (view.limit, view.running, view.isSuspended) = (shape.limit, shape.running, shape.isSuspended)
      view.underlying = innards.underlying
      var next = first
      var barrier = -1
      while let here = next, view.operations.count < most {
        next = here.use { operation in
          view.index[ObjectIdentifier(operation)] = view.operations.count
          view.barriers.append(barrier)
          if operation.state.isBarrier { barrier = view.operations.count }
          view.operations.append(operation)
          view.places.append(operation.links.place)
          return operation.links.next
        }
      }
      return view
    }
  }
}
