// QueueDescription.swift: queues, their items and figures in the table that describes the process to all that read its
// memory (ProcessDescription.swift). Readers are tools, and its own diagnosis, which reads queues that may be gone
// (OwnerReader of SignalboxView).
import SignalboxSystem
import SignalboxView
import SignalboxWords

enum QueueDescription {
  /// Of the byte with the kind, which is a constant and so has no address that Swift would give: it follows the
  /// sanitizer's width.
  private static let kindByte = UInt(SanitizerOffset.width + MemoryLayout<UInt16>.size)

  /// The first queue has been made, and says where the words lie: of all queues of the same, and before anything leads
  /// a reader to a queue's memory. So reading learns nothing, which might allocate: readers may hold the notes' lock,
  /// which freeing takes.
  static func learn(from queue: DispatchQueue) {
    if !ProcessDescription.isWritten(.queueState) { write(from: queue) }  // two that learn write the same
  }

  /// The label of the queue at `address`, which may be gone, or something else by now: nil then, or any text.
  /// Allocates.
  static func label(of address: UInt) -> String? {
    let offset = UInt(ReadMemory.own.described(.queueLabel))
    return offset == 0 ? nil : StringForm.text(at: address + offset)
  }

  private static func write(from queue: DispatchQueue) {
    let state = withUnsafePointer(to: queue.state) { UInt(bitPattern: $0) - queue.address }
    let target = withUnsafePointer(to: queue.targetBits) { UInt(bitPattern: $0) - queue.address }
    ProcessDescription.write(.stateOwner, QueueState.owner.inPlace)
    ProcessDescription.write(.stateWidth, QueueState.width.inPlace)
    ProcessDescription.write(.stateEnqueued, QueueState.enqueued.inPlace)
    ProcessDescription.write(.stateBarrier, QueueState.barrierPending.inPlace)
    ProcessDescription.write(.stateInactive, QueueState.inactive.inPlace)
    ProcessDescription.write(.stateSuspended, QueueState.suspendCount.inPlace)
    ProcessDescription.write(.blockCaller, CCall.blockCaller)
    ProcessDescription.write(.itemClosure, ItemWords.blockOffset)
    writeItems()
    QueueJob.describe()
    ProcessDescription.write(.queueTarget, target)
    ProcessDescription.write(.queueKind, kindByte)
    ProcessDescription.write(.queueLabel, label(of: queue, behind: target))
    writeList(of: queue)
    writeClasses(of: queue)
    // Last: who finds it finds the others.
    ProcessDescription.write(.queueState, state)
    QueueRegistry.describe()
  }

  /// Where a node says which group its item is of, and where nodes and work items have their class.
  private static func writeItems() {
    ProcessDescription.write(.nodeAudience, UInt(MemoryLayout<ItemNode>.offset(of: \.audience)!))
    ProcessDescription.write(.nodeClass, ItemNode.classPlace)
    ProcessDescription.write(.itemClass, ItemWords.classOffset)
  }

  /// How far behind a queue's address its label lies, which is a constant as the kind is: behind the target, as it is declared. 0: not there, or
  /// strings do not lie as readers know it.
  private static func label(of queue: DispatchQueue, behind target: UInt) -> UInt {
    let place = target + 8, wanted = StringForm.words(queue.givenName)
    let found = (0..<2).map { SafeMemory.word64(queue.address + place + $0 * 8, isAlive: true) }
    return StringForm.isKnown && found == [wanted.first, wanted.second] ? place : 0
  }

  /// Where the list's words lie, and the limit; up to where a queue is to be copied.
  private static func writeList(of queue: DispatchQueue) {
    func place<Word: ~Copyable>(_ word: borrowing Word) -> UInt {
      withUnsafePointer(to: word) { UInt(bitPattern: $0) } - queue.address
    }
    ProcessDescription.write(.queueLimit, place(queue.widthLimit))
    ProcessDescription.write(.listTail, place(queue.list.tail))
    ProcessDescription.write(.listLink, place(queue.list.firstPage))
    ProcessDescription.write(.listHead, place(queue.list.head))
    ProcessDescription.write(.listTaken, place(queue.list.taken))
    ProcessDescription.write(.listStart, UInt(bitPattern: queue.listWords) - queue.address)
    ProcessDescription.write(.listSlots, place(queue.list.inside))
    ProcessDescription.write(.pageSlots, ItemPage.slotsOffset)
    ProcessDescription.write(.itemsInside, InlineSlots.count)
    ProcessDescription.write(.itemsOnPage, ItemPage.slotCount)
    ProcessDescription.write(.queueSize, place(queue.extrasBits) + 8)
  }

  /// Where the class lies, and how each is written; 0 where that is not as it is read.
  private static func writeClasses(of queue: DispatchQueue) {
    let all: [DispatchQoS.QoSClass] = [.unspecified, .background, .utility, .default, .userInitiated, .userInteractive]
    guard MemoryLayout<DispatchQoS.QoSClass>.size == 1, MemoryLayout<DispatchQoS>.offset(of: \.qosClass) == 0 else { return }
    func byte(_ qos: DispatchQoS.QoSClass) -> UInt64 { withUnsafeBytes(of: qos) { UInt64($0[0]) } }
    ProcessDescription.write(.classBytes, all.reversed().reduce(UInt64(0)) { $0 << 8 | byte($1) })
    ProcessDescription.write(.queueClass, queue.placeOfClass)
    func place(ofType type: AnyClass) -> UInt { UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self)) }
    ProcessDescription.write(.workloopType, place(ofType: DispatchWorkloop.self))
    // A type's superclass is its second word, or it stays unknown to readers.
    let second = SafeMemory.word64(place(ofType: DispatchWorkloop.self) + 8)
    ProcessDescription.write(.superclass, second == UInt64(place(ofType: DispatchQueue.self)) ? 8 : UInt(0))
  }
}

extension DispatchQueue {
  /// How far behind the address the class lies.
  fileprivate final var placeOfClass: UInt { withUnsafeMutablePointer(to: &ownQoS) { UInt(bitPattern: $0) } - address }
}

// MARK: figures

// Where the figures of queues lie, and how long a tick of the processor's counter lasts.

enum FiguresDescription {
  /// How long a tick lasts, in 10^-18 s, for readers of a core dump. relaxed: a number alone
  private static let tickLength = Relaxed64(0)

  /// The first queue that is counted says where the words lie.
  static func learn(from figures: QueueFigures, _ extras: QueueExtras, _ queue: DispatchQueue) {
    if ProcessDescription.isWritten(.queueExtras) { return }  // two that learn write the same
    let own = UInt(Lent(figures).address), waits = figures.placeOfWaits &- own
    // The queue's address is a constant, and so has no address that Swift would give: it is the one word that has this
    // value.
    let named = stride(from: own, to: own &+ waits, by: 8).first {
      SafeMemory.word64($0, isAlive: true) == UInt64(queue.address)
    }
    // Counts are read by the word.
    guard let named, waits % 8 == 0 else { return }
    ProcessDescription.write(.figuresQueue, named &- own)
    ProcessDescription.write(.figuresWaits, waits)
    ProcessDescription.write(.waitBuckets, UInt(WaitBucket.count))
    ProcessDescription.write(.extrasFigures, extras.placeOfFigures &- UInt(Lent(extras).address))
    // Last: a reader that finds it finds the others.
    ProcessDescription.write(.queueExtras, queue.placeOfExtras &- queue.address)
  }

  /// The clocks, read at one moment.
  static func write(origin: (ticks: UInt64, uptime: UInt64)) {
    ProcessDescription.write(.originUptime, origin.uptime)
    ProcessDescription.write(.originTicks, origin.ticks)
  }

  /// How long a tick lasts, as the clocks have it now.
  static func write(secondsPerTick: Double) {
    guard let length = UInt64(exactly: (secondsPerTick * 1e18).rounded()), length > 0 else { return }
    tickLength.store(length)
    ProcessDescription.write(.tickLength, withUnsafePointer(to: tickLength) { UInt(bitPattern: $0) })
  }
}

extension DispatchQueue {
  fileprivate final var placeOfExtras: UInt { withUnsafePointer(to: extrasBits) { UInt(bitPattern: $0) } }
}

extension QueueFigures {
  fileprivate var placeOfWaits: UInt { withUnsafePointer(to: waits) { UInt(bitPattern: $0) } }
}

extension QueueExtras {
  fileprivate var placeOfFigures: UInt { withUnsafePointer(to: figures) { UInt(bitPattern: $0) } }
}
