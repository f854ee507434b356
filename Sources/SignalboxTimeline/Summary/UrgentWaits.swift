// UrgentWaits.swift: items that waited while a less urgent one ran: in their own queue, or on a worker that they could have had.

struct UrgentWaits {
  /// An item, and what ran meanwhile.
  struct Found {
    let item: TimelineItem
    let began, waited: UInt64
    let serviceClass: Int
    let other: TimelineItem
    let otherClass: Int
  }

  private struct Run {
    let item: TimelineItem
    let serviceClass: Int
    let begin: UInt64
    var end = UInt64.max
  }

  /// A shorter wait is what a wake costs.
  static let least: UInt64 = 1_000_000
  /// How many runs that have ended are remembered.
  private static let kept = 512

  private var running: [UInt64: Run] = [:]
  private var ended: [Run] = []
  private var next = 0
  private(set) var found: [Found] = []

  mutating func began(_ item: TimelineItem, _ serviceClass: Int, at time: UInt64) {
    defer { running[item.flow] = Run(item: item, serviceClass: serviceClass, begin: time) }
    guard serviceClass > 1, let submitted = item.submitted, time >= submitted.time + Self.least else { return }
    let span = submitted.time..<time
    // What was in the way is what ran longest of that time: in the queue itself, if it was that for half of it.
    let own = longest(in: span) { $0.item.queue == item.queue }
    let other =
      Self.overlap(own, span) * 2 >= time - submitted.time ? own : longest(in: span) { $0.serviceClass < serviceClass }
    guard let other, other.serviceClass != 0, other.serviceClass < serviceClass,
      Self.overlap(other, span) * 2 >= time - submitted.time
    else { return }
    found.append(
      Found(
        item: item, began: time, waited: time - submitted.time, serviceClass: serviceClass, other: other.item,
        otherClass: other.serviceClass))
  }

  mutating func ended(_ item: TimelineItem, at time: UInt64) {
    guard var run = running.removeValue(forKey: item.flow) else { return }
    run.end = time
    if ended.count < Self.kept { ended.append(run) } else { ended[next % Self.kept] = run }
    next += 1
  }

  private static func overlap(_ run: Run?, _ span: Range<UInt64>) -> UInt64 {
    guard let run else { return 0 }
    let begin = max(run.begin, span.lowerBound), end = min(run.end, span.upperBound)
    return end > begin ? end - begin : 0
  }

  private func longest(in span: Range<UInt64>, _ isMeant: (Run) -> Bool) -> Run? {
    var best: Run?
    for run in running.values where isMeant(run) && isLonger(run, best, span) { best = run }
    for run in ended where isMeant(run) && isLonger(run, best, span) { best = run }
    return best
  }

  private func isLonger(_ run: Run, _ other: Run?, _ span: Range<UInt64>) -> Bool {
    let mine = Self.overlap(run, span), others = Self.overlap(other, span)
    return mine > others || (mine == others && mine > 0 && run.item.flow < other?.item.flow ?? .max)
  }
}
