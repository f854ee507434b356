// RegisterView.swift: all queues of a process, by the register that it keeps of them, and how many items each has. How
// one queue is read is QueueView.swift; the register is described in SignalboxDispatch/Queues/README.md.
import SignalboxSystem
import SignalboxWords

extension DescribedCopy {
  /// Whether the process keeps a register, in a form that is known here.
  package var hasRegister: Bool {
    let first = self[.firstPlace]
    return self[.queueState] != 0 && self[.placeSegments] != 0 && self[.placesUsed] != 0 && self[.queueSize] != 0
      && first.isBetween(1, and: 1 << 20) && first & (first - 1) == 0
  }
}

/// The queues that stand in the register.
package struct RegisterView {
  package private(set) var queues: [QueueView] = []
  /// Parts of the register, and queues in it, whose memory is not there.
  package private(set) var unread = 0
  /// Queues whose lists of items lead nowhere.
  package private(set) var brokenLists = 0
  private let copy: DescribedCopy
  private let lists: ListReader?
  /// How many pages of items are followed yet: a damaged dump may lead anywhere.
  private var pages = 1_000_000
  /// How many places may yet lead nowhere, or to a queue that was read: a register in order has few.
  private var wrong = 10_000
  private var seen: Set<ReadNumber> = []

  package init(_ copy: DescribedCopy) {
    (self.copy, lists) = (copy, ListReader(copy.reading))
    guard copy.hasRegister, let used = copy.memory.word64(copy[.placesUsed]) else { return }
    let first = copy[.firstPlace], end = first + min(used, 1 << 27)
    var begin = first, segment = copy[.placeSegments]
    while begin < end, wrong > 0 {
      // Each segment is as long as its first place's number is high.
      read(begin..<min(begin * 2, end), segment)
      (begin, segment) = (begin * 2, segment + 8)
    }
  }

  private mutating func read(_ places: Range<ReadNumber>, _ segment: ReadNumber) {
    guard let origin = copy.memory.word64(segment) else { return unread += 1 }
    // Nothing was handed out of it yet, or the process had no memory for it.
    guard origin != 0 else { return }
    var begin = places.lowerBound
    while begin < places.upperBound, wrong > 0 {
      let count = (places.upperBound - begin).int(upTo: 4096), start = begin * 8 + origin
      guard let words = copy.memory.words(start, count) else { return unread += 1 }
      // A free place is 0, or odd.
      for (number, word) in words.enumerated() where word != 0 && word & 1 == 0 && wrong > 0 {
        if seen.insert(word).inserted { read(word, place: ReadNumber(count: number) * 8 + start) } else { wrong -= 1 }
      }
      begin += 4096
    }
  }

  /// Reads a queue as long as it stands in its place. What two copies have the same was so in between; of a queue that
  /// works meanwhile, the numbers are nearly of one moment. Two copies that are not of one queue do not count.
  private mutating func read(_ address: ReadNumber, place: ReadNumber) {
    var last: (queue: QueueView, isBroken: Bool)?, isReplaced = false
    for _ in 0..<4 {
      guard let first = copy.queueCopy(address), var queue = copy.queue(first) else { break }
      queue.place = place
      let list = length(ofListIn: first)
      if case .known(let count) = list { queue.pending = ReadNumber(count) }
      if !isGlobal(first) { queue.done = ends(in: first).done.map { ReadNumber($0) } }
      let reader = FiguresReader(copy.reading)
      queue.figures = reader.figures(extras(of: first), ofQueue: address.bits)
      queue.waits = reader.waits(ofFigures: queue.figures) ?? []
      guard copy.memory.word64(place) == address, let second = copy.queueCopy(address), copy.memory.word64(place) == address
      else { break }
      // Between two queues at an address another object may lie there.
      isReplaced = copy.queue(second).map { !queue.isSame($0) } ?? true
      if isReplaced { continue }
      // Once a queue has figures it keeps them: these were its own in between.
      if reader.figures(extras(of: second), ofQueue: address.bits) != queue.figures { (queue.figures, queue.waits) = (0, []) }
      last = (queue, list == .broken)
      if first == second { break }
    }
    if let last {
      queues.append(last.queue)
      if last.isBroken { brokenLists += 1 }
    } else if !isReplaced, copy.memory.word64(place) == address {
      (unread, wrong) = (unread + 1, wrong - 1)
    }
  }

  // MARK: items

  /// Where the list in a copy of a queue began and ended.
  private func ends(in queue: QueueCopy) -> ListEnds {
    ListEnds(head: queue[copy[.listHead]].bits, tail: queue[copy[.listTail]].bits, taken: queue[copy[.listTaken]].bits)
  }

  /// How many items lay in the queue. Those of global queues lie in lists of the pool's (PoolView.swift).
  private mutating func length(ofListIn queue: QueueCopy) -> ListReader.Length {
    guard !isGlobal(queue), let lists else { return .unknown }
    return lists.length(of: (queue.address + copy[.listStart]).bits, ends(in: queue), pages: &pages)
  }

  private func isGlobal(_ queue: QueueCopy) -> Bool { queue.byte(copy[.queueKind]) == QueueKind.global.rawValue }

  /// The word that leads to what few queues have; 0 where it is not known.
  private func extras(of queue: QueueCopy) -> UInt64 { copy[.queueExtras] == 0 ? 0 : queue[copy[.queueExtras]].bits }
}
