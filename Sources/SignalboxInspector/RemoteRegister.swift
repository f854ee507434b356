// RemoteRegister.swift: all queues of a process that is read from outside, by the register that the process keeps of them, and how many items
// each has. How one queue is read is RemoteQueues.swift; the register is described in SignalboxDispatch/Queues/README.md.
import SignalboxSystem
import SignalboxWords

extension DescribedCopy {
  /// Whether the process keeps a register, in a form that is known here.
  var hasRegister: Bool {
    let first = self[.firstPlace]
    return self[.queueState] != 0 && self[.placeSegments] != 0 && self[.placesUsed] != 0 && self[.queueSize] != 0
      && first.isBetween(1, and: 1 << 20) && first & (first - 1) == 0
  }
}

/// The queues that stand in the register.
struct RemoteRegister {
  private(set) var queues: [RemoteQueue] = []
  /// Parts of the register, and queues in it, whose memory is not there.
  private(set) var unread = 0
  /// Queues whose lists of items lead nowhere.
  private(set) var brokenLists = 0
  private let copy: DescribedCopy
  /// How many pages of items are followed yet: a damaged dump may lead anywhere.
  private var pages = 1_000_000
  private static let mostPages = 10_000
  /// How many places may yet lead nowhere, or to a queue that was read: a register in order has few.
  private var wrong = 10_000
  private var seen: Set<ReadNumber> = []

  init(_ copy: DescribedCopy) {
    self.copy = copy
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

  /// Reads a queue as long as it stands in its place. What two copies have the same was so in between; of a queue that works meanwhile, the
  /// numbers are nearly of one moment. Two copies that are not of one queue do not count.
  private mutating func read(_ address: ReadNumber, place: ReadNumber) {
    var last: (queue: RemoteQueue, isBroken: Bool)?, isReplaced = false
    for _ in 0..<4 {
      guard let first = copy.queueCopy(address), var queue = copy.queue(first) else { break }
      queue.place = place
      let list = length(ofListIn: first)
      if case .known(let count) = list { queue.pending = count }
      queue.done = done(in: first)
      guard copy.memory.word64(place) == address, let second = copy.queueCopy(address), copy.memory.word64(place) == address
      else { break }
      // Between two queues at an address another object may lie there.
      isReplaced = copy.queue(second).map { !queue.isSame($0) } ?? true
      if isReplaced { continue }
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

  private func isGlobal(_ queue: QueueCopy) -> Bool { queue.byte(copy[.queueKind]) == QueueKind.global.rawValue }

  /// How many items fit in a page; the number of one has 16 bits.
  private func capacity(ofPage page: ReadNumber) -> Int {
    (page == 0 ? copy[.itemsInside] : copy[.itemsOnPage]).int(upTo: 0xFFFF)
  }

  /// The place on a page that stands in the lowest bits of a position.
  private func slot(_ position: ListPosition) -> Int {
    ReadNumber(position.index).int(upTo: capacity(ofPage: ReadNumber(position.page)))
  }

  /// How many items a queue's list has.
  private enum ListLength: Equatable {
    case known(ReadNumber)
    /// The list is too long to be followed, or its owner is about to change both of its ends.
    case unknown
    /// A page is not there, or was there before: no queue has such a list.
    case broken
  }

  /// Counts the items between the two positions, each the page above 16 bits with the number of a slot. Those of global
  /// queues lie in lists of the pool's.
  private mutating func length(ofListIn queue: QueueCopy) -> ListLength {
    if isGlobal(queue) { return .unknown }
    let head = ListPosition(word: queue[copy[.listHead]].bits), tail = ListPosition(word: queue[copy[.listTail]].bits)
    var page = ReadNumber(head.page), count = -slot(head), passed: Set<ReadNumber> = []
    while page != ReadNumber(tail.page) {
      count += capacity(ofPage: page)
      guard passed.count < Self.mostPages, pages > 0 else { return .unknown }
      // A page begins with the link to the next one.
      guard passed.insert(page).inserted, let next = page == 0 ? queue[copy[.listLink]] : copy.memory.word64(page) else {
        return .broken
      }
      // The owner takes the link before it goes on, and moves the end before the beginning when it turns back.
      guard next != 0 else { return .unknown }
      (page, pages) = (next, pages - 1)
    }
    // Pushers that wait for the next page have counted past the end.
    count += slot(tail)
    return count < 0 ? .unknown : .known(ReadNumber(count: count))
  }

  /// How many were taken off; nil: just that changes, and is not known.
  private func done(in queue: QueueCopy) -> ReadNumber? {
    let taken = queue[copy[.listTaken]], slot = ReadNumber(ListPosition(word: queue[copy[.listHead]].bits).index)
    if isGlobal(queue) || taken & 1 == 1 && slot == 0 { return nil }
    return (taken >> 1) + slot
  }
}
