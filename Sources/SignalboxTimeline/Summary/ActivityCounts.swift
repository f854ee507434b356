// ActivityCounts.swift: what a summary counts of groups, operations, sources, transfers and run loops while a recording is gone through. Items, waits
// and threads are SummaryCounts.swift's.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

struct ActivityCounts {
  /// Groups of one name.
  struct Group {
    var entered: ReadNumber = 0, left: ReadNumber = 0
    var waits = 0
    var times = Spread()
    /// The longest wait, and the thread that ended it by leaving last.
    var longest: (at: ReadNumber, leaver: TimelineWaker)?
  }

  /// Operations of one name.
  struct Operation {
    let name: String
    let place: String?
    var count = 0, cancelled = 0
    var held = Spread(), waiting = Spread(), running = Spread()
    var queue = "", heldBy: String?
    var longestAt: ReadNumber = 0
  }

  /// Sources of one name; the handler that ran longest.
  struct Source {
    var events = 0
    var running = Spread()
    var longest: (at: ReadNumber, handler: ReadNumber)?
  }

  /// Reads or writes of one descriptor.
  struct Transfer {
    var count = 0, failed = 0
    var error: UInt16 = 0
    var bytes: ReadNumber = 0
    var times = Spread()
    var longestAt: ReadNumber = 0
  }

  /// A run loop.
  struct Loop {
    var turns = 0
    fileprivate(set) var spent: [LoopPhase: ReadNumber] = [:]
    /// The phase that lasted longest, but for those in which the loop waited.
    fileprivate(set) var longest: (phase: LoopPhase, took: ReadNumber, at: ReadNumber)?
  }

  private(set) var groups: [String: Group] = [:], sources: [String: Source] = [:], transfers: [String: Transfer] = [:]
  /// Handlers of sources of one name may run beside each other.
  private(set) var busySources: [String: BusyTime] = [:]
  private(set) var loops: [String: Loop] = [:], operations: [Operation] = []
  private var operationNumbers: [OperationKey: Int] = [:]
  /// Names of sources and loops by address: a name has a time, and the time of these is when the source or loop begins.
  private var sliceNames: [ReadNumber: String] = [:]

  private struct OperationKey: Hashable {
    let name: String
    let place: String?
  }

  // MARK: groups

  mutating func happened(_ moment: TimelineMoment, _ names: TimelineNames, at time: ReadNumber) {
    guard moment.kind == .groupEntered || moment.kind == .groupLeft else { return }
    let name = names.object(moment.object, at: time)
    if moment.kind == .groupEntered {
      groups[name, default: Group()].entered += moment.members
    } else {
      groups[name, default: Group()].left += moment.members
    }
  }

  /// A wait for something has ended.
  mutating func waited(for name: String, _ took: ReadNumber) {
    guard groups[name] != nil else { return }
    groups[name, default: Group()].waits += 1
    if groups[name, default: Group()].times.add(took) { groups[name]?.longest = nil }
  }

  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, _ names: TimelineNames, at time: ReadNumber) {
    let name = names.object(wait.object, at: wait.begin)
    guard waker.kind == .groupLeft, groups[name]?.times.longest == time - wait.begin else { return }
    groups[name]?.longest = (wait.begin, waker)
  }

  // MARK: operations

  mutating func operationEnded(_ operation: TimelineOperation, _ names: TimelineNames, at time: ReadNumber) {
    let (name, place) = names.operation(operation.name), key = OperationKey(name: name, place: place)
    let number = operationNumbers[key] ?? operations.count
    if number == operations.count {
      operations.append(Operation(name: name, place: place))
      operationNumbers[key] = number
    }
    operations[number].count += 1
    if operation.isCancelled { operations[number].cancelled += 1 }
    if operation.queue != 0 { operations[number].queue = names.object(operation.queue, at: time) }
    if let began = operation.began {
      if operations[number].running.add(time - min(time, began.time)) { operations[number].longestAt = began.time }
    }
    guard let added = operation.added else { return }
    let began = operation.began?.time ?? time, ready = min(began, max(added.time, operation.ready ?? began))
    if operations[number].held.add(ready - added.time) {
      operations[number].heldBy = operation.heldBy.map { names.operation($0).name }
    }
    operations[number].waiting.add(began - ready)
  }

  // MARK: sources and loops

  mutating func began(_ slice: TimelineSlice, _ names: TimelineNames) {
    guard slice.kind == .sourceBegan || slice.kind == .loopBegan else { return }
    let name = names.object(slice.object, at: slice.begin)
    sliceNames[slice.object] = name
    if slice.kind == .loopBegan { loops[name, default: Loop()].turns += 1 }
    if slice.kind == .sourceBegan { busySources[name, default: BusyTime()].begins(at: slice.begin) }
  }

  mutating func ended(_ slice: TimelineSlice, at time: ReadNumber) {
    guard let name = sliceNames[slice.object] else { return }
    let took = time - min(time, slice.begin)
    if slice.kind == .sourceBegan {
      busySources[name]?.ends(at: time)
      sources[name, default: Source()].events += 1
      if sources[name, default: Source()].running.add(took) { sources[name]?.longest = (slice.begin, slice.function) }
    } else if let phase = slice.phase {
      loops[name, default: Loop()].spent[phase, default: 0] += took
      if phase != .waiting, took > loops[name]?.longest?.took ?? 0 { loops[name]?.longest = (phase, took, slice.begin) }
    }
  }

  // MARK: transfers

  mutating func transferEnded(_ transfer: TimelineTransfer, _ names: TimelineNames, at time: ReadNumber) {
    let name = names.transfer(transfer)
    transfers[name, default: Transfer()].count += 1
    transfers[name]?.bytes += transfer.bytes
    if transfer.error != 0 {
      transfers[name]?.failed += 1
      transfers[name]?.error = transfer.error
    }
    if transfers[name, default: Transfer()].times.add(time - min(time, transfer.began)) {
      transfers[name]?.longestAt = transfer.began
    }
  }
}
