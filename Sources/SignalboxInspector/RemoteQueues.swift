// RemoteQueues.swift: one queue, and items, in a process that is read from outside. Which queues there are is RemoteRegister.swift; who waits
// for which, RemoteRecords.swift.
import SignalboxSystem

/// A queue as its words had it at one moment.
struct RemoteQueue {
  var address: ReadNumber
  var label: String
  var kind: UInt8?
  /// The kernel's number of the thread that takes items off it, or runs alone in it.
  var owner: Int32?
  var running: ReadNumber
  var suspended: ReadNumber
  var isInactive: Bool
  var target: ReadNumber
  /// The most items that run at once; 0: no limit.
  var limit: ReadNumber
  var qos: String
  var isWorkloop: Bool
  /// How many items lie in it, and were taken off since it was made; nil: not known.
  var pending: ReadNumber?, done: ReadNumber?

  /// Whether another reading has the same in all that a queue keeps, unless the program gives it another target. Other
  /// objects that come to lie where a queue was differ from it in some of that.
  func isSame(_ other: RemoteQueue) -> Bool {
    address == other.address && label == other.label && kind == other.kind && target == other.target && qos == other.qos
      && limit == other.limit && isWorkloop == other.isWorkloop
  }

  var kindWord: String {
    if isWorkloop { return "workloop" }
    return switch kind {
    case 0: "serial"
    case 1: "concurrent"
    case 2: "global"
    case 3: "main"
    case 4: "run loop"
    default: ""
    }
  }
}

/// The memory of a queue as it was at one moment, or nearly.
struct QueueCopy: Equatable {
  let address: ReadNumber
  let words: [ReadNumber]

  /// The word at a distance from the beginning; 0 beyond the end.
  subscript(_ distance: ReadNumber) -> ReadNumber { words[at: distance / 8] ?? 0 }
  func byte(_ distance: ReadNumber) -> UInt8 { rest(distance).lowest(UInt8.self) }
  func half(_ distance: ReadNumber) -> ReadNumber { rest(distance) & 0xFFFF_FFFF }

  /// The word from its byte of that distance on.
  private func rest(_ distance: ReadNumber) -> ReadNumber { self[distance] >> ((distance % 8).int(upTo: 7) * 8) }
}

/// What a thread runs.
struct RemoteItem {
  var kind: String
  /// What may be its function, the likeliest first.
  var functions: [ReadNumber]
}

extension DescribedCopy {
  /// No queue is longer.
  private static let mostBytes: ReadNumber = 4096

  /// The queue at an address at which a thread has one, or waits for one; nil if nothing like a queue lies there.
  func queue(at address: ReadNumber) -> RemoteQueue? { queueCopy(address).flatMap { queue($0) } }

  /// The memory of what may be a queue, copied at once; nil where there is none, or where nobody has said what queues are like.
  func queueCopy(_ address: ReadNumber) -> QueueCopy? {
    // A version from before the size was written has written these.
    let places = [self[.queueState], self[.queueTarget], self[.queueKind], self[.queueLabel] + 8]
    let size = self[.queueSize] != 0 ? self[.queueSize] : ((places.max() ?? 0) | 7) + 1
    guard self[.queueState] != 0, size <= Self.mostBytes, let words = memory.words(address, (size / 8).int(upTo: 512)) else {
      return nil
    }
    return QueueCopy(address: address, words: words)
  }

  /// What the copy says, without what lies in the queue; nil if it is none of a queue.
  func queue(_ copy: QueueCopy) -> RemoteQueue? {
    let state = copy[self[.queueState]], kind = self[.queueKind] == 0 ? nil : copy.byte(self[.queueKind])
    if let kind, kind > 4 { return nil }
    func field(_ mask: DescribedWord) -> ReadNumber { (state & self[mask]) >> self[mask].bits.trailingZeroBitCount }
    return RemoteQueue(
      address: copy.address, label: label(copy) ?? "", kind: kind, owner: slot(of: field(.stateOwner))?.thread,
      running: field(.stateWidth), suspended: field(.stateSuspended), isInactive: field(.stateInactive) != 0,
      target: copy[self[.queueTarget]], limit: self[.queueLimit] == 0 ? 0 : copy.half(self[.queueLimit]), qos: qos(copy),
      isWorkloop: self[.workloopType] != 0 && copy[0] == self[.workloopType])
  }

  private func label(_ copy: QueueCopy) -> String? {
    guard self[.queueLabel] != 0 else { return nil }
    return StringForm.text(copy[self[.queueLabel]], copy[self[.queueLabel] + 8]) { memory.bytes($0, $1) }
  }

  private static let classes = ["unspecified", "background", "utility", "default", "userInitiated", "userInteractive"]
  private func qos(_ copy: QueueCopy) -> String {
    guard self[.queueClass] != 0 else { return Self.classes[0] }
    let byte = copy.byte(self[.queueClass])
    let place = Self.classes.indices.first { (self[.classBytes] >> ($0 * 8)).lowest(UInt8.self) == byte }
    return Self.classes[place ?? 0]
  }

  // MARK: items

  // Marks of an item's first word: that somebody waits for it, that it is a C function; numbers that stand for other items.
  private static let awaited: ReadNumber = 0x4000_0000_0000_0000, cFunction: ReadNumber = 0x8000_0000_0000_0000
  private static let workItem: ReadNumber = 4, helper: ReadNumber = 5, specialLimit: ReadNumber = 4096

  /// The item of these words; nil if nothing is known of it.
  func item(_ first: ReadNumber, _ second: ReadNumber) -> RemoteItem? {
    let word = first & ~Self.awaited, kind = first & Self.awaited == 0 ? "async" : "async and wait"
    switch word {
    case Self.workItem:
      let closure = self[.itemClosure] == 0 ? nil : memory.words(second + self[.itemClosure], 2)
      return RemoteItem(kind: "work item", functions: closure.map { functions($0[0], $0[1]) } ?? [])
    case Self.helper: return RemoteItem(kind: "iterations of a parallel loop", functions: [])
    case ..<Self.specialLimit: return nil
    default: break
    }
    guard word & Self.cFunction != 0 else { return RemoteItem(kind: kind, functions: functions(word, second)) }
    let function = word & ~Self.cFunction
    switch function {
    case 0: return nil
    case self[.jobIsolated]: return RemoteItem(kind: "a job of an actor", functions: job(second))
    case self[.jobPreferring], self[.jobOfPool], self[.jobUnbound]:
      return RemoteItem(kind: "a job of a task", functions: job(second))
    case self[.blockCaller]: return RemoteItem(kind: kind, functions: block(second))
    default: return RemoteItem(kind: kind, functions: [function])
    }
  }

  /// A closure's function, and what it may call if it is a thunk: its context holds a closure then.
  private func functions(_ function: ReadNumber, _ context: ReadNumber) -> [ReadNumber] {
    var found = [function], next = context
    while found.count < 5, next != 0, let closure = memory.words(next + 16, 2) {
      found.append(closure[0])
      next = closure[1]
    }
    return found.filter { $0 != 0 && $0 >> 56 == 0 }
  }

  private func block(_ block: ReadNumber) -> [ReadNumber] {
    let held = memory.words(block + 32, 2).map { functions($0[0], $0[1]) } ?? []
    return ([memory.word64(block + 16) ?? 0] + held).filter { $0 != 0 && $0 >> 56 == 0 }
  }

  /// Where the job's task goes on.
  private func job(_ word: ReadNumber) -> [ReadNumber] {
    memory.word64((word & ~15) + 56).map { $0 != 0 && $0 >> 56 == 0 ? [$0] : [] } ?? []
  }
}
