// DescribedRanges.swift: the memory of which a process's description speaks: its tables, the objects to which they
// lead, and the frames on threads' stacks. It is what the views read, and nothing else: so it is found by having them
// read.
import SignalboxSystem
import SignalboxWords

/// Ranges of this process's memory, as they were when they were searched for.
package struct DescribedRanges: Sendable {
  /// In ascending order; none touches the next.
  private let ranges: [Range<UInt64>]

  /// Reads all that a picture of this process is made of. Waits for no lock, and keeps nothing alive.
  ///
  /// - Parameter table: where the description lies.
  package init(ofTable table: UInt) {
    let memory = NotedMemory(), images = MappedImages()
    let copy = DescribedCopy(in: "", table: ReadNumber(UInt64(table)), memory) { one, other in
      images.place(of: one)?.image == images.place(of: other)?.image
    }
    if let copy, copy.isKnown { copy.readAll() }
    self.init(memory.ranges)
  }

  /// The union of some ranges.
  init(_ all: [Range<UInt64>]) {
    var merged: [Range<UInt64>] = []
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  /// Whether all of `count` bytes from an address on belong to them.
  package func contain(_ address: UInt64, _ count: Int) -> Bool {
    guard count > 0, address <= UInt64.max - UInt64(count) else { return false }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= address { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= address && address + UInt64(count) <= ranges[low].upperBound
  }
}

/// This process's memory, which notes what is read of it.
private final class NotedMemory: ProcessMemory, @unchecked Sendable {
  // SAFETY of @unchecked: the thread that makes it is the only one that uses it, and only while the ranges are made.
  private(set) var ranges: [Range<UInt64>] = []

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    let found = SafeMemory.bytes(UInt(address.bits), count)
    if found != nil { ranges.append(address.bits..<address.bits + UInt64(count)) }
    return found
  }
}

extension DescribedCopy {
  /// How many armed timers of each clock are read.
  package static var mostTimers: Int { 1_000 }

  /// Reads what there is to read, in the order of a picture.
  fileprivate func readAll() {
    _ = (isForkedChild, memory.bytes(self[.ownThreads], 32))
    readThreads()
    let register = RegisterView(self)
    _ = PoolsView(self).filled(
      QueueItemsView(self).described(
        Dictionary(register.queues.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })))
    _ = (SampleReader(reading).queues, FiguresReader(reading).secondsPerTick(now: nil))
    if let timers = TimersView(reading, items: items) {
      for clock in TimerClock.allCases { _ = timers.timers(of: clock, most: Self.mostTimers) }
    }
    _ = (DescriptorsView(reading)?.read(), memory.word64(self[.otherEvents]))
  }

  private func readThreads() {
    let all = slots, threads = SlotsView(copy: self, process: OwnProcess.id, all: all)
    let names = NameReader(reading), stamps = ItemStampReader(reading), samples = SampleReader(reading)
    for slot in all {
      var inside: [FrameWord] = [], awaited: UInt = 0
      if case .waits(let wait) = wait(of: slot, among: threads) {
        (inside, awaited) = (wait.frames, wait.object)
        _ = names.name(of: UInt64(awaited))
      }
      let found = frames(of: slot)
      _ = found?.item.flatMap { items.item($0) }
      _ = queues(inside + (found?.frames ?? []), awaited: ReadNumber(UInt64(awaited)))
      _ = stamps.stamp(ofRecord: slot.record).flatMap { samples.since($0, of: slot.owner) }
    }
  }
}
