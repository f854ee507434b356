// QueueView.swift: one queue of a process. Which queues there are is RegisterView.swift; which threads wait for which,
// SlotsView.swift.
import SignalboxSystem
import SignalboxWords

/// A queue as its words had it at one moment.
package struct QueueView {
  package var address: ReadNumber
  package var label: String
  package var kind: QueueKind?
  /// The kernel's number of the thread that takes items off it, or runs alone in it.
  package var owner: Int32?
  package var running: ReadNumber
  package var suspended: ReadNumber
  package var isInactive: Bool
  package var target: ReadNumber
  /// The most items that run at once; 0: no limit.
  package var limit: ReadNumber
  package var given: GivenClass
  package var isWorkloop: Bool
  /// It is a source, which has its target's label.
  package var isSource: Bool
  /// How many items lie in it, and were taken off since it was made; nil: not known.
  package var pending: ReadNumber?, done: ReadNumber?
  /// Where it stands in the register; 0: not there.
  package var place: ReadNumber = 0
  /// What is taken off next, and the most urgent item behind less urgent ones, where that is known.
  package var next: [RunningItem] = []
  package var urgency: PendingUrgency?
  /// The address of what is counted of it besides, and the counts of how long sampled items waited (WaitBucket); 0 and
  /// empty: nothing is.
  package var figures: UInt64 = 0
  package var waits: [UInt32] = []

  /// Whether another reading has the same in all that a queue keeps, unless the program gives it another target. Other
  /// objects that come to lie where a queue was differ from it in some of that.
  package func isSame(_ other: QueueView) -> Bool {
    address == other.address && label == other.label && kind == other.kind && target == other.target && given == other.given
      && limit == other.limit && isWorkloop == other.isWorkloop && isSource == other.isSource
  }

  package var kindWord: String {
    if isWorkloop { return "workloop" }
    if isSource { return "source" }
    return switch kind {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global"
    case .main: "main"
    case .runLoop: "run loop"
    case nil: ""
    }
  }
}

/// The memory of a queue as it was at one moment, or nearly.
package struct QueueCopy: Equatable {
  package let address: ReadNumber
  package let words: [ReadNumber]

  /// The word at a distance from the beginning; 0 beyond the end.
  package subscript(_ distance: ReadNumber) -> ReadNumber { words[at: distance / 8] ?? 0 }
  package func byte(_ distance: ReadNumber) -> UInt8 { rest(distance).lowest(UInt8.self) }
  package func half(_ distance: ReadNumber) -> ReadNumber { rest(distance) & 0xFFFF_FFFF }

  /// The word from its byte of that distance on.
  private func rest(_ distance: ReadNumber) -> ReadNumber { self[distance] >> ((distance % 8).int(upTo: 7) * 8) }
}

extension DescribedCopy {
  /// No queue is longer.
  private static let mostBytes: ReadNumber = 4096

  /// The queue at an address at which a thread has one, or waits for one; nil if nothing like a queue lies there.
  package func queue(at address: ReadNumber) -> QueueView? { queueCopy(address).flatMap { queue($0) } }

  /// The queues of frames and the one that is waited for, each with what it runs on.
  package func queues(_ frames: [FrameWord], awaited: ReadNumber) -> [QueueView] {
    var found: [QueueView] = []
    for named in frames.map({ ReadNumber(UInt64($0.object)) }) + [awaited] {
      var address = named
      while address != 0, found.count < 64, !found.contains(where: { $0.address == address }),
        let queue = queue(at: address)
      {
        found.append(queue)
        address = queue.target
      }
    }
    return found
  }

  /// The memory of what may be a queue, copied at once; nil where there is none, or where the description does not say
  /// what queues are like.
  package func queueCopy(_ address: ReadNumber) -> QueueCopy? {
    // A version from before the size was written has written these.
    let places = [self[.queueState], self[.queueTarget], self[.queueKind], self[.queueLabel] + 8]
    let size = self[.queueSize] != 0 ? self[.queueSize] : ((places.max() ?? 0) | 7) + 1
    guard self[.queueState] != 0, size <= Self.mostBytes, let words = memory.words(address, (size / 8).int(upTo: 512)) else {
      return nil
    }
    return QueueCopy(address: address, words: words)
  }

  /// What the copy says, without what lies in the queue; nil if it is none of a queue.
  package func queue(_ copy: QueueCopy) -> QueueView? {
    let state = QueueState(rawValue: copy[self[.queueState]].bits)
    var kind: QueueKind?
    if self[.queueKind] != 0 {
      kind = QueueKind(rawValue: copy.byte(self[.queueKind]))
      if kind == nil { return nil }
    }
    return QueueView(
      address: copy.address, label: label(copy) ?? "", kind: kind, owner: slot(of: state[QueueState.owner])?.thread,
      running: ReadNumber(state[QueueState.width]), suspended: ReadNumber(state[QueueState.suspendCount]),
      isInactive: state[QueueState.inactive] != 0, target: copy[self[.queueTarget]],
      limit: self[.queueLimit] == 0 ? 0 : copy.half(self[.queueLimit]), given: givenClass(copy),
      isWorkloop: self[.workloopType] != 0 && copy[0] == self[.workloopType], isSource: isSource(copy))
  }

  private func label(_ copy: QueueCopy) -> String? {
    guard self[.queueLabel] != 0 else { return nil }
    return StringForm.text(copy[self[.queueLabel]], copy[self[.queueLabel] + 8]) { memory.bytes($0, $1) }
  }

  /// The class that it was given.
  package func givenClass(_ copy: QueueCopy) -> GivenClass {
    guard self[.queueClass] != 0 else { return .unspecified }
    return GivenClass(byte: copy.byte(self[.queueClass]), among: self[.classBytes].bits) ?? .unspecified
  }

  /// Whether it is of a type that inherits from that of all sources.
  private func isSource(_ copy: QueueCopy) -> Bool {
    guard self[.sourceType] != 0, self[.superclass] != 0 else { return false }
    var type = copy[0]
    for _ in 0..<8 where type != 0 {
      if type == self[.sourceType] { return true }
      type = memory.word64(type + self[.superclass]) ?? 0
    }
    return false
  }
}
