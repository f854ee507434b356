// QueueDescription.swift: queues and items in the table that describes the process to whoever reads its memory (ProcessDescription.swift). The
// places that readers in the process need as well are QueueLayout.swift's.
import SignalboxSystem
import SignalboxWords

enum QueueDescription {
  /// Says where the words of queues and items lie, and what they mean, by a queue that was just made.
  static func write(from queue: DispatchQueue, state: UInt, target: UInt) {
    ProcessDescription.write(.stateOwner, QueueState.owner.inPlace)
    ProcessDescription.write(.stateWidth, QueueState.width.inPlace)
    ProcessDescription.write(.stateEnqueued, QueueState.enqueued.inPlace)
    ProcessDescription.write(.stateBarrier, QueueState.barrierPending.inPlace)
    ProcessDescription.write(.stateInactive, QueueState.inactive.inPlace)
    ProcessDescription.write(.stateSuspended, QueueState.suspendCount.inPlace)
    ProcessDescription.write(.blockCaller, CCall.blockCaller)
    ProcessDescription.write(.itemClosure, ItemWords.blockOffset)
    QueueJob.describe()
    ProcessDescription.write(.queueTarget, target)
    ProcessDescription.write(.queueKind, QueueLayout.kindByte)
    ProcessDescription.write(.queueLabel, label(of: queue, behind: target))
    writeList(of: queue)
    writeClasses(of: queue)
    // Last: who finds it finds the others.
    ProcessDescription.write(.queueState, state)
    QueueRegistry.describe()
  }

  /// How far behind a queue's address its label lies, which is a constant as the kind is: behind the target, as it is declared. 0: not there, or
  /// strings do not lie as readers know it.
  static func label(of queue: DispatchQueue, behind target: UInt) -> UInt {
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
    ProcessDescription.write(.workloopType, UInt(bitPattern: unsafeBitCast(DispatchWorkloop.self, to: UnsafeRawPointer.self)))
  }
}

extension DispatchQueue {
  /// How far behind the address the class lies.
  fileprivate final var placeOfClass: UInt { withUnsafeMutablePointer(to: &ownQoS) { UInt(bitPattern: $0) } - address }
}
