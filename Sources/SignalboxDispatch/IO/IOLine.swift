// IOLine.swift: who may start on a descriptor: operations at once, until a barrier comes; a barrier when all before it have ended,
// and alone. Pure: it only says who starts.
//
//   INV-1  a barrier runs => no operation is active       INV-2  waiting => a barrier runs, or the first that waits is one
import SignalboxSystem

struct IOLine {
  enum Entry {
    case operation(IOOperation)
    case barrier(IOChannel, () -> Void)
  }

  private(set) var active = 0
  private(set) var isBarrierRunning = false
  private var waiting = Fifo<Entry>()

  var isEmpty: Bool { waiting.isEmpty && active == 0 && !isBarrierRunning }

  /// One more; those that start now.
  mutating func added(_ entry: Entry) -> [Entry] {
    waiting.append(entry)
    return starting()
  }

  /// One more operation; whether it starts at once, as it does where nothing waits.
  mutating func startsOperation(_ operation: IOOperation) -> Bool {
    guard !isBarrierRunning, waiting.isEmpty else {
      waiting.append(.operation(operation))
      return false
    }
    active += 1
    return true
  }

  mutating func operationEnded() -> [Entry] {
    active -= 1
    return starting()
  }

  mutating func barrierEnded() -> [Entry] {
    isBarrierRunning = false
    return starting()
  }

  private mutating func starting() -> [Entry] {
    var entries: [Entry] = []
    while !isBarrierRunning, let first = waiting.first {
      if case .barrier = first {
        guard active == 0 else { break }
        isBarrierRunning = true
      } else {
        active += 1
      }
      entries.append(first)
      _ = waiting.popFirst()
    }
    return entries
  }
}
