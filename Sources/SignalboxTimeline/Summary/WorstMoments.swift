// WorstMoments.swift: a summary's first table: what took longest in a recording, each moment once, by what says most of it.
//
// One cause shows in several ways: an item keeps the main thread, it waits for a queue meanwhile, and items of the main queue wait behind
// it. If each of them had a row, the rows of a page would be one moment's. So what waited for at least half of its time beside something
// that says why it waited is left to that one's row.
import SignalboxRecorder
import SignalboxSystem

extension SummaryTables {
  /// How many moments there are; a page has five.
  private static let most = 20

  var worstMoments: SummaryTable {
    let all = urgentItems + mainThreadKept + stalledPool + waitsForHolders + waitsInQueues + lateTimers
    let sorted = Self.worstFirst(all, by: \.span.took, then: \.span.begin).prefix(Self.most)
    return SummaryTable(
      "worst", "The worst moments", onPage: 5, [("at", "at"), ("took", "took"), ("what", "what"), ("place", "")],
      sorted.map { [moment($0.span.begin), .time($0.span.took), .text($0.what), .place($0.place)] })
  }

  private struct Moment {
    let span: Span
    let what: String
    let place: String?
  }

  /// A time, in nanoseconds.
  private struct Span {
    let begin, took: ReadNumber
    var end: ReadNumber { begin + took }

    /// Whether at least half of it lies in the other.
    func isTold(by other: Span) -> Bool {
      let begin = max(begin, other.begin), end = min(end, other.end)
      return end > begin && (end - begin) * 2 >= took
    }
  }

  // MARK: what says why

  private var urgent: [UrgentWaits.Found] {
    Array(Self.worstFirst(counts.urgent.found, by: \.waited, then: \.began).prefix(Self.most))
  }
  private var stalls: [PoolCount.Stall] { counts.pool.stalls }
  /// Waits of the main thread in nothing else are waits like others'.
  private var held: [SummaryCounts.Held] { counts.held.filter { $0.slice.kind != .waitBegan } }

  private static func span(_ found: UrgentWaits.Found) -> Span { Span(begin: found.began - found.waited, took: found.waited) }
  private static func span(_ held: SummaryCounts.Held) -> Span { Span(begin: held.slice.begin, took: held.took) }
  private static func span(_ stall: PoolCount.Stall) -> Span { Span(begin: stall.begin, took: stall.took) }

  private var urgentItems: [Moment] {
    urgent.map { found in
      let (name, place) = names.item(found.item), behind = names.item(found.other).name
      let queue = names.queue(found.item.queue, at: found.began), others = found.others - 1
      return Moment(
        span: Self.span(found),
        what: "\(name), which is \(found.serviceClass.words), waited in \"\(queue)\" behind \(behind)"
          + (others > 0 ? " and \(others) more" : "") + ", which \(others > 0 ? "are" : "is") "
          + found.otherClass.words,
        place: place)
    }
  }

  private var mainThreadKept: [Moment] {
    held.map { held in
      let (what, place) = words(held.slice)
      let wait = held.wait.map { wait in
        let holder = names.holder(wait.slice.number, at: wait.slice.begin)
        return "; it waited for \(names.object(wait.slice.object, at: wait.slice.begin))"
          + (holder.isEmpty ? "" : ", had by \(holder)")
      }
      return Moment(span: Self.span(held), what: "the main thread was kept by \(what)" + (wait ?? ""), place: place)
    }
  }

  private var stalledPool: [Moment] {
    stalls.map { stall in
      let item = stall.cause?.item.map { names.item($0) }
      let cause = stall.cause.map { "; most of them for \(names.object($0.object, at: $0.since))" } ?? ""
      return Moment(
        span: Self.span(stall),
        what: "all \(stall.workers) workers waited, and items with them\(cause)" + (item.map { " in \($0.name)" } ?? ""),
        place: item?.place)
    }
  }

  // MARK: what waited

  private var waitsForHolders: [Moment] {
    let told = Set(held.compactMap(\.wait?.slice.begin))
    return counts.waits.compactMap { number, waits in
      // A wait for no thread in particular is how a thread waits for work. A thread that came to a queue before the
      // queue's own thread did gets the turn from that one.
      guard let (at, holder, thread, item) = waits.longest else { return nil }
      let giver = holder == 0 ? waits.endedBy.flatMap { $0.kind == .turnHanded ? names.waker($0) : nil } : nil
      guard let had = giver ?? (holder == 0 ? nil : names.holder(holder, at: at)) else { return nil }
      if counts.recording.threads[thread].isMain, told.contains(at) { return nil }
      let (name, place) = who(item, thread)
      return Moment(
        span: Span(begin: at, took: waits.times.longest), what: "\(name) waited for \(object(number)), had by \(had)",
        place: place)
    }
  }

  private var waitsInQueues: [Moment] {
    let (urgent, stalled, kept) = (urgent, stalls.map(Self.span), held.map(Self.span))
    // The longest first, and no more than there are moments: whether something says why takes a search.
    let sorted = Self.worstFirst(counts.queues, by: \.value.waiting.longest, then: \.key)
    let moments = sorted.lazy.compactMap { number, queue -> Moment? in
      guard let (item, at, runner) = queue.longestWait else { return nil }
      let waited = queue.waiting.longest, span = Span(begin: at - waited, took: waited)
      let keepers: [Span] =
        switch runner {
        case .worker: stalled
        case .mainThread: kept
        case .otherThread: []
        }
      let isTold =
        urgent.contains { $0.item.queue == item.queue && span.isTold(by: Self.span($0)) }
        || keepers.contains { span.isTold(by: $0) }
      if isTold { return nil }
      let (name, place) = names.item(item)
      return Moment(span: span, what: "\(name) waited in \"\(self.queue(number))\"", place: place)
    }
    return Array(moments.prefix(Self.most))
  }

  private var lateTimers: [Moment] {
    counts.timers.compactMap { number, timer in
      let late = timer.times.longest
      guard late > 0 else { return nil }
      let name = timer.isThing ? queue(number) : "a timer on \"\(queue(number))\""
      return Moment(span: Span(begin: timer.longestAt - late, took: late), what: "\(name) was late", place: nil)
    }
  }
}
