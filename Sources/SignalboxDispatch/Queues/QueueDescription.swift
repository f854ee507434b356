// QueueDescription.swift: queues and items in the table that describes the process to whoever reads its memory (ProcessDescription.swift). How
// their places are found is QueueLayout.swift.
import SignalboxSystem

enum QueueDescription {
  /// Says where the words of queues and items lie, and what they mean: once, when the places are learnt.
  static func write(state: UInt, target: UInt, kindByte: UInt, end: UInt, main: DispatchQueue) {
    ProcessDescription.write(.stateOwner, QueueState.owner.inPlace)
    ProcessDescription.write(.stateWidth, QueueState.width.inPlace)
    ProcessDescription.write(.stateEnqueued, QueueState.enqueued.inPlace)
    ProcessDescription.write(.stateBarrier, QueueState.barrierPending.inPlace)
    ProcessDescription.write(.stateInactive, QueueState.inactive.inPlace)
    ProcessDescription.write(.stateSuspended, QueueState.suspendCount.inPlace)
    ProcessDescription.write(.blockCaller, CCall.blockCaller)
    ProcessDescription.write(.itemClosure, ItemWords.blockOffset)
    QueueJob.describe()
    ProcessDescription.write(.mainQueue, main.address)
    ProcessDescription.write(.queueTarget, target)
    ProcessDescription.write(.queueKind, kindByte)
    ProcessDescription.write(.queueLabel, label(in: main, before: end))
    // Last: who finds it finds the others.
    ProcessDescription.write(.queueState, state)
  }

  /// How far behind a queue's address its label lies, which is a constant, as the kind is: the one place with the words of this queue's; 0:
  /// not found, or strings do not lie as readers know it. `end`: of what the queue's words take up.
  private static func label(in queue: DispatchQueue, before end: UInt) -> UInt {
    guard StringForm.isKnown, !queue.givenName.isEmpty else { return 0 }
    let wanted = StringForm.words(queue.givenName)
    let found = stride(from: UInt(16), to: end - 8, by: 8).filter { place in
      SafeMemory.word64(queue.address + place, isAlive: true) == wanted.first
        && SafeMemory.word64(queue.address + place + 8, isAlive: true) == wanted.second
    }
    return found.count == 1 ? found[0] : 0
  }
}
