// ToolchainObjects.swift: the queues, sources, groups and semaphores of the toolchain's libdispatch in a process: found
// by the word that each begins with, in all memory that the process has written. What their items and sources are is
// ToolchainItems.swift and ToolchainSources.swift.
//
// What was freed may still look like an object for a while. So an object counts if its references are such as living
// objects have, and if what it points to is one: a queue's target is a queue. A queue is read twice.
import SignalboxSystem
import SignalboxView

/// A queue as it was at one moment.
struct ToolchainQueue: Equatable {
  var address: UInt64
  var kind: ToolchainKind
  var label: String
  var state: ToolchainState
  var target: UInt64
  var width: Int
  /// How many items lie in it; nil: they came and went while they were counted.
  var pending: Int?
}

/// The objects of one copy of the library.
struct ToolchainObjects {
  private(set) var queues: [UInt64: ToolchainQueue] = [:]
  private(set) var groups: Set<UInt64> = [], semaphores: Set<UInt64> = []
  /// Semaphores of the library's own, in which its threads wait that have nothing to do.
  private(set) var idleSemaphores: Set<UInt64> = []
  private(set) var sources: [UInt64: ToolchainSource] = [:]
  /// How many bytes were not searched, because there are too many.
  private(set) var unsearched: UInt64 = 0

  private let memory: any ProcessMemory
  private let layout: ToolchainLayout
  private let items: ToolchainItemReader
  private static let mostItems = 100_000
  /// For how many queues the next items are read, those with most; and how many of each.
  private static let mostDescribed = 50, shown = 3

  /// Searches `memory`, of which `parts` were written.
  init(_ library: ToolchainLibrary, _ memory: any ProcessMemory, _ parts: [Range<ReadNumber>]) {
    (self.memory, layout) = (memory, library.layout)
    items = ToolchainItemReader(library, memory)
    let sourceReader = ToolchainSourceReader(library: library, memory: memory)
    let search = MemorySearch(memory, parts)
    var candidates: [UInt64: ToolchainKind] = [:]
    search.forEach(Set(library.kinds.keys)) { candidates[$0] = library.kinds[$1] }
    unsearched = search.unsearched
    for (address, kind) in candidates where isAlive(address) {
      switch kind {
      case .group: groups.insert(address)
      case .semaphore where library.contains(address): idleSemaphores.insert(address)
      case .semaphore: semaphores.insert(address)
      case .source: sources[address] = sourceReader.source(address)
      default: queues[address] = queue(address, kind)
      }
    }
    let known = queues
    queues = known.filter { Self.leadsToRoot($0.value, known) }
    sources = sources.filter { queues[$0.value.target] != nil }
    for address in Array(queues.keys) {
      let count = pending(address)
      queues[address]?.pending = count
    }
  }

  /// A queue has a target, which is a queue, and so on to a global one.
  private static func leadsToRoot(_ queue: ToolchainQueue, _ known: [UInt64: ToolchainQueue]) -> Bool {
    var here = queue
    for _ in 0..<mostTargets {
      if here.kind == .global { return true }
      guard let next = known[here.target] else { return false }
      here = next
    }
    return false
  }

  private func word(_ address: UInt64) -> UInt64? { memory.word64(ReadNumber(address))?.bits }

  /// Whether what lies there has the counts of an object that lives.
  private func isAlive(_ address: UInt64) -> Bool {
    guard let references = word(address &+ ToolchainLayout.Object.references),
      let next = word(address &+ ToolchainLayout.Object.next)
    else {
      return false
    }
    let inner = Int32(truncatingIfNeeded: references), outer = Int32(truncatingIfNeeded: references >> 32)
    let isGlobal = inner == ToolchainLayout.Object.global && outer == ToolchainLayout.Object.global
    let isCounted = (0...Self.mostReferences).contains(inner) && (-1...Self.mostReferences).contains(outer)
    return (isGlobal || isCounted) && (next == 0 || next == ToolchainLayout.Object.listless || next % 8 == 0)
  }
  private static let mostReferences: Int32 = 1 << 24

  /// The queue at an address, by two readings in a row that say the same, or else the last of four; nil: it is not
  /// there.
  private func queue(_ address: UInt64, _ kind: ToolchainKind) -> ToolchainQueue? {
    var last: ToolchainQueue?
    for _ in 0..<4 {
      let now = reading(address, kind)
      if now == last { return now }
      last = now
    }
    return last
  }

  private func reading(_ address: UInt64, _ kind: ToolchainKind) -> ToolchainQueue? {
    guard let state = word(address &+ ToolchainLayout.Queue.state), let target = word(address &+ layout.target),
      let label = word(address &+ layout.label), let width = memory.bytes(ReadNumber(address &+ layout.width), 2)
    else { return nil }
    return ToolchainQueue(
      address: address, kind: kind, label: text(label), state: ToolchainState(rawValue: state), target: target,
      width: width.word16(at: 0).int(upTo: 0xffff))
  }

  /// The bytes up to the zero; at most 256, and none that no text has.
  private func text(_ address: UInt64) -> String {
    guard address != 0 else { return "" }
    var bytes: [UInt8] = []
    while bytes.count < 256 {
      // To the end of the sixteen bytes, which lie in one page.
      let place = address &+ UInt64(bytes.count), count = 16 - Int(place % 16)
      guard let piece = memory.bytes(ReadNumber(place), count) else { break }
      bytes += piece.prefix { $0 != 0 }
      if piece.contains(0) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// How many items the list has that begins in the queue.
  private func pending(_ queue: UInt64) -> Int? {
    guard let first = word(queue &+ ToolchainLayout.Queue.first), let last = word(queue &+ ToolchainLayout.Queue.last) else {
      return nil
    }
    // The thread that takes an item off a global queue leaves this for so long.
    if first == .max { return nil }
    var count = 0, here = first
    while here != 0, count < Self.mostItems {
      count += 1
      if here == last & ~7 { break }
      guard let next = word(here &+ ToolchainLayout.Object.next) else { return nil }
      here = next
    }
    let isSame = word(queue &+ ToolchainLayout.Queue.first) == first && word(queue &+ ToolchainLayout.Queue.last) == last
    return isSame ? count : nil
  }

  /// The first items of the queues that have most, by the queues' addresses: of each queue at one moment, as nothing
  /// was taken off it meanwhile.
  var next: [UInt64: [RunningItem]] {
    let full = queues.values.filter { ($0.pending ?? 0) > 0 }
      .sorted { ($0.pending ?? 0, $1.address) > ($1.pending ?? 0, $0.address) }
    return full.prefix(Self.mostDescribed).reduce(into: [:]) { found, queue in found[queue.address] = next(of: queue) }
  }

  private func next(of queue: ToolchainQueue) -> [RunningItem] {
    guard let first = word(queue.address &+ ToolchainLayout.Queue.first) else { return [] }
    var found: [RunningItem] = [], here = first
    while here != 0, found.count < Self.shown {
      guard let item = items.pending(here, mayRunBeside: queue.kind == .concurrent) else { break }
      found.append(item)
      guard let next = word(here &+ ToolchainLayout.Object.next), next != ToolchainLayout.Object.listless else { break }
      here = next
    }
    return word(queue.address &+ ToolchainLayout.Queue.first) == first ? found : []
  }

  /// What may be the function of a source's handler.
  func handler(of source: ToolchainSource) -> RunningItem? {
    source.handler == 0 ? nil : items.handler(source.handler, kind: source.kind.noun)
  }

  /// Whether a queue's items run on another one, however far down.
  func leads(_ queue: UInt64, to other: UInt64) -> Bool {
    var here = queue
    for _ in 0..<Self.mostTargets {
      if here == other { return true }
      guard let next = queues[here], next.kind != .global else { return false }
      here = next.target
    }
    return false
  }
  private static let mostTargets = 256

  /// The queue again, as it is now.
  func again(_ address: UInt64) -> ToolchainQueue? { queues[address].flatMap { queue(address, $0.kind) } }
}
