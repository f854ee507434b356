// DispatchQueue+Raise.swift: a queue that more urgent work waits for is served as urgently. The queue moves, and the
// thread that runs its items is helped. Requests are counted in QueueRaise.swift. README.md, "Inheritance".
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  // MARK: where the queue is served

  /// The class on whose list the queue belongs, if its target is the global queue `root`. `isNew`: the calling thread's
  /// item makes the queue runnable, rather than its drain.
  @inline(__always) final func servingClass(on root: DispatchQueue, isNew: Bool) -> ServiceClass {
    let serviceClass = root.serviceClass
    if isNew, serviceClass == .standard, ownQoS.qosClass == .unspecified,
      let worker = Pool.worker(ThreadSlot.current)
    {
      return raised(ItemClass.propagated(submitter: worker.use { $0.servedClass }, own: serviceClass))
    }
    return raised(serviceClass)
  }

  /// The class, or that of the work that waits, if that is more urgent.
  @inline(__always) private final func raised(_ serviceClass: ServiceClass) -> ServiceClass {
    // seq_cst: without extras nobody has asked. After the swap of the state that enqueues the queue; pairs with the making of the extras
    // (extrasMade), which precedes the asker's reading of the state: he sees the queue enqueued, or we see him.
    if _fastPath(extrasBits.loadSeqCst() == 0) { return serviceClass }
    return serviceClass.raised(to: raise.mostUrgent)
  }

  /// The class that a worker serves which has taken the queue off a list: a thread that asks for the queue is behind
  /// all that its items wait for.
  @inline(__always) final var servedClass: ServiceClass { raised(serviceClass) }

  /// The most urgent class that asks; nil if none does.
  final var askedClass: ServiceClass? { raise.mostUrgent }

  /// The queue is served where its global queue is raised, and goes back once that is over.
  final func noteServedElsewhere() { extrasMade().raise.note() }

  /// Who asks. Read in one order with the swap of the state that enqueues the queue, which comes before it; pairs with beginRaise.
  private final var raise: QueueRaise { extras.map { $0.raise.now } ?? QueueRaise(rawValue: 0) }

  /// Whether the queue, which a thread of `band` has taken off a list or drains, belongs to another band by now.
  @inline(__always) final func isMisplaced(in band: Band) -> Bool {
    // relaxed: without extras nobody has asked. Who asks meanwhile helps the owner, or whoever comes to the urgent place does.
    if _fastPath(extrasBits.loadRelaxed() == 0) { return false }
    return isMisplacedSlow(in: band)
  }
  @inline(never) private final func isMisplacedSlow(in band: Band) -> Bool {
    let raise = raise
    guard raise[QueueRaise.wasRaised] == 1, let serviceClass = rootClass else { return false }
    return serviceClass.raised(to: raise.mostUrgent).band != band
  }

  /// The class of the global queue at the end of the targets; nil if there is none.
  private final var rootClass: ServiceClass? { firstInChain { $0.isRoot ? $0.serviceClass : nil } }

  /// Puts a queue, which was taken off a list of another band with its reference, on the list where it belongs.
  final func moveToBand() {
    let target = heldOwnTarget()
    defer { target.letGo() }
    target.queue.use { root in
      // Else out of place: the target was changed, and told.
      guard root.isRoot else { return Unmanaged.passUnretained(self).release() }
      let serviceClass = servingClass(on: root, isNew: false)
      Pools.serving(serviceClass).use { $0.share(self, as: serviceClass) }
    }
  }

  // MARK: asking

  /// Work of the class waits for the queue's items: until the matching `endRaise` the queue and its targets are served
  /// as urgently. The band of a thread that keeps the asker waiting and cannot be helped in full.
  ///
  /// - Parameter helps: whether the queues' owners are helped here. A wait helps them itself (`Raising`).
  @inline(never) @discardableResult
  final func beginRaise(to serviceClass: ServiceClass, helps: Bool = true) -> Band? {
    var helpless: Band?
    forEachRaisable { queue in
      // seq_cst: before the reading of the state, as a pusher's swap of that comes before its reading of this
      let isFirst = queue.extrasMade().raise.begin(serviceClass)
      // seq_cst: as above. The first who asks for the band moves the queue: whoever puts it on a list afterwards sees him.
      if isFirst, queue.state.loadSeqCst()[QueueState.enqueued] == 1 { queue.lieOnUrgentList(serviceClass) }
      if helps, let band = Inversions.help(ownerOf: queue, to: serviceClass) { helpless = band }
    }
    return helpless
  }

  /// A target that was changed since may hear of an end without its beginning: then somebody else's asking ends early.
  final func endRaise(to serviceClass: ServiceClass) { forEachRaisable { queue in queue.extras?.raise.end(serviceClass) } }

  /// Who owns the queue, alone or for the moment in which an item is taken off; nil if nobody does. A moment's view.
  final var ownerNumber: UInt64? {
    // seq_cst: after the count of those who ask, which the caller has changed; pairs with the swap by which a thread becomes the owner, and
    // reads that count afterwards (isMisplaced): the caller sees the owner, or the owner the change.
    let word = state.loadSeqCst()
    return word.isOwned ? word[QueueState.owner] : nil
  }

  /// This queue and its targets, up to a global queue or one whose target may change, which nobody but its owner may follow.
  private final func forEachRaisable(_ body: (DispatchQueue) -> Void) {
    let _: Void? = firstInChain { queue in
      if queue.isRoot || queue.isThreadBound { return () }
      body(queue)
      return queue.hasFixedTarget ? nil : ()
    }
  }

  /// This queue and its targets, up to a global queue or one that a thread is bound to.
  final func forEachTurn(_ body: (DispatchQueue) -> Void) {
    let _: Void? = firstInChain { queue in
      if queue.isRoot || queue.isThreadBound { return () }
      body(queue)
      return nil
    }
  }

  /// The queue lies on a list that is served too late: it gets a second place on a more urgent one. Whoever comes to the first finds the
  /// queue owned, or takes it as it is.
  private final func lieOnUrgentList(_ serviceClass: ServiceClass) {
    let target = heldOwnTarget()
    defer { target.letGo() }
    target.queue.use { root in
      guard root.isRoot, root.serviceClass.band != serviceClass.band else { return }
      keepForTarget()
      Pools.serving(serviceClass).use {
        $0.share(self, as: serviceClass)
        $0.workArrived()  // share() may have left it to a running worker: the asker, who is about to sleep
      }
    }
  }

  /// The calling thread came to a place of the queue and found it owned: perhaps by a thread that took it off a list just before somebody
  /// asked, and which nobody could help then.
  @inline(__always) final func helpOwnerIfRaised() {
    // relaxed: who asks made the extras before the place that we came to
    if _fastPath(extrasBits.loadRelaxed() == 0) { return }
    helpRaisedOwner()
  }
  @inline(never) private final func helpRaisedOwner() {
    if let asked = askedClass { _ = Inversions.help(ownerOf: self, to: asked) }
  }

  // MARK: who asks

  /// Runs `body`, in which the calling thread waits for this queue. Meanwhile the queue is raised if it is of a lower band than the thread's
  /// work, and so are the threads that hold it if they are, whatever the queue's own class is.
  @inline(__always) final func whileRaised<R>(_ body: () -> R) -> R {
    let serviceClass = Inversions.classOfCaller
    if _fastPath(serviceClass.band.rawValue >= self.serviceClass.band.rawValue && !Inversions.mayMatter(to: serviceClass)) {
      return body()
    }
    return whileRaisedSlow(to: serviceClass, body)
  }
  @inline(never) private final func whileRaisedSlow<R>(to serviceClass: ServiceClass, _ body: () -> R) -> R {
    if Exploration.isOn { return body() }
    return Raising.inside(serviceClass, { $0.add(self) }, body)
  }

  /// Adds an item that may have a class of its own: a node or a work item. On a global queue it goes to the list of its class. Another queue
  /// is raised until the item begins, if that is of a more urgent band.
  @inline(never) final func pushByClass(_ slot: Slot) {
    guard let (qos, flags) = Self.classAndFlags(slot), !Exploration.isOn else {
      return push(slot)
    }
    let isTaker = isRoot && serviceClass == .standard
    let winner = ItemClass.winner(item: qos, flags, queue: isTaker ? .unspecified : ownQoS.qosClass)
    let asked = ServiceClass(winner)
    guard winner != .unspecified, asked.isMoreUrgent(than: serviceClass), !isThreadBound, !isWorkloop else {
      return push(slot)
    }
    if isRoot {
      let node = Self.node(slot)
      node.pointee.home = serviceClass
      return GlobalQueues.queue(for: winner).push(.node(node))
    }
    // In a band the order of classes is that of the queues: an item in a queue is not worth two shared words' changes to them.
    if asked.band == serviceClass.band { return push(slot) }
    let node = Self.node(slot)
    node.pointee.raises = asked
    beginRaise(to: asked)
    push(.node(node))
  }

  /// Adds an item of any kind.
  @inline(__always) final func pushEither(_ slot: Slot) {
    if SlotKind.isClosure(slot.first) || slot.first & SlotKind.cFunction != 0 { push(slot) } else { pushByClass(slot) }
  }

  private static func classAndFlags(_ slot: Slot) -> (DispatchQoS.QoSClass, DispatchWorkItemFlags)? {
    switch slot.first {
    case SlotKind.workItem: return Lent<DispatchWorkItem>(at: slot.second).use { ($0.qos.qosClass, $0.flags) }
    case SlotKind.node:
      let node = ItemNodePointer.at(UInt(slot.second))
      let flags = node.pointee.workItem.map { Lent($0).use { $0.flags } }
      return (node.pointee.qos.qosClass, flags ?? (node.pointee.isEnforced ? .enforceQoS : []))
    default: return nil
    }
  }

  /// The node of an item that is one, or a work item.
  static func node(_ slot: Slot) -> ItemNodePointer {
    if slot.first == SlotKind.node { return .at(UInt(slot.second)) }
    let node = NodeCache.take()
    let workItem = Unmanaged<DispatchWorkItem>.at(UInt(slot.second))
    node.pointee.take(workItem)
    node.pointee.isBarrier = Lent(workItem).use { $0.isBarrier }
    return node
  }

  /// An item that has raised the queue of the innermost drain begins: what stands behind it is as urgent as it was.
  @inline(never) static func raisingItemBegins(_ item: ItemNode) {
    let thread = ThreadSlot.current
    guard let frame = thread.innermostFrame else { return }
    reference(of: frame.pointee).use { queue in
      if let raised = item.raises { queue.endRaise(to: raised) }
      guard let worker = Pool.worker(thread) else { return }
      // What is left moves back after this item.
      worker.use { if queue.isMisplaced(in: $0.band) { $0.ask(Worker.Asked.toYield) } }
    }
  }
}

// MARK: the word of the requests, among a queue's extras

struct RaiseWord: ~Copyable, Sendable {
  private let word = AtomicState(QueueRaise(rawValue: 0))

  // seq_cst: in one order with the swaps of the queue's state: who asks writes this and then reads that, who enqueues the queue the other
  // way round.
  var now: QueueRaise { word.loadSeqCst() }
  /// One more asks for the class. True: until then no thread has asked for that or a more urgent one.
  func begin(_ serviceClass: ServiceClass) -> Bool {
    word.tryUpdateSeqCst { old in
      old.afterBegin(serviceClass).map { ($0, serviceClass.isMoreUrgent(than: old.mostUrgent)) }
    } ?? false
  }
  func end(_ serviceClass: ServiceClass) { _ = word.tryUpdateSeqCst { old in old.afterEnd(serviceClass).map { ($0, ()) } } }
  func note() { _ = word.tryUpdateSeqCst { old in (old.afterNote(), ()) } }
}
