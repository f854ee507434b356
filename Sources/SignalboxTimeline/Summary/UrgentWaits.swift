// UrgentWaits.swift: items that waited while a less urgent one ran: in their own queue, or on a worker that they could have had.
import SignalboxSystem

struct UrgentWaits {
  /// An item, and what ran meanwhile: of several items the one that ran longest.
  struct Found {
    let item: TimelineItem
    let began, waited: ReadNumber
    let serviceClass: RecordedClass
    let other: TimelineItem
    let otherClass: RecordedClass
    let others: Int
  }

  private struct Run {
    let item: TimelineItem
    let serviceClass: RecordedClass
    let begin: ReadNumber
    var end = ReadNumber.max
  }

  /// A shorter wait is what a wake costs.
  static let least: ReadNumber = 1_000_000
  /// How many runs that have ended are remembered.
  private static let kept = 512

  private var running: [UInt64: Run] = [:]
  private var ended: [Run] = []
  private var next = 0
  private(set) var found: [Found] = []

  /// `isBound`: a thread of its own runs the item, for which no other queue's stand in the way.
  mutating func began(_ item: TimelineItem, _ serviceClass: RecordedClass, isBound: Bool, at time: ReadNumber) {
    defer { running[item.flow] = Run(item: item, serviceClass: serviceClass, begin: time) }
    guard serviceClass > .background, let submitted = item.submitted, time >= submitted.time + Self.least else { return }
    let span = submitted.time..<time, waited = time - submitted.time
    // The queue itself was in the way if it ran items for half of that time.
    let own = overlaps(with: span) { $0.item.queue == item.queue }
    let isOwn = isBound || own.total * 2 >= waited
    let less = overlaps(with: span) {
      (!isOwn || $0.item.queue == item.queue) && $0.serviceClass != .none && $0.serviceClass < serviceClass
    }
    // Beside other queues' items it might have run on another worker: one alone must have been in the way.
    guard let other = less.longest, (isOwn ? less.total : Self.overlap(other, span)) * 2 >= waited else { return }
    found.append(
      Found(
        item: item, began: time, waited: waited, serviceClass: serviceClass, other: other.item,
        otherClass: other.serviceClass, others: isOwn ? less.count : 1))
  }

  mutating func ended(_ item: TimelineItem, at time: ReadNumber) {
    guard var run = running.removeValue(forKey: item.flow) else { return }
    run.end = time
    if ended.count < Self.kept { ended.append(run) } else { ended[next % Self.kept] = run }
    next += 1
  }

  private static func overlap(_ run: Run, _ span: Range<ReadNumber>) -> ReadNumber {
    let begin = max(run.begin, span.lowerBound), end = min(run.end, span.upperBound)
    return end > begin ? end - begin : 0
  }

  /// How long the runs that are meant took of that time, all together; how many they are, and which took longest.
  private func overlaps(with span: Range<ReadNumber>, _ isMeant: (Run) -> Bool) -> (
    total: ReadNumber, count: Int, longest: Run?
  ) {
    var total: ReadNumber = 0, count = 0, longest: Run?
    func add(_ run: Run) {
      let time = Self.overlap(run, span)
      guard time > 0, isMeant(run) else { return }
      (total, count) = (total + time, count + 1)
      let most = longest.map { Self.overlap($0, span) } ?? 0
      if time > most || (time == most && run.item.flow < longest?.item.flow ?? .max) { longest = run }
    }
    running.values.forEach(add)
    ended.forEach(add)
    return (total, count, longest)
  }
}
