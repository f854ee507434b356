// Totals.swift: the words of the whole tree, one dictionary in stripes. Each stripe has a concurrent queue: whoever checks
// does so with the others, whoever adds is alone (a barrier). What was read and what failed is Tally.swift.

/// A share of all words, chosen by hash.
// SAFETY: `table` is read in items of `queue` and changed in barrier items of `queue` only.
private final class Stripe: @unchecked Sendable {
  let queue: DispatchQueue
  var table = WordTable()

  init(number: Int) {
    queue = DispatchQueue(label: "wordcount.totals.\(number)", attributes: .concurrent)
  }
}

struct Totals: Sendable {
  private let stripes = (0..<WordCounts.stripes).map { Stripe(number: $0) }

  /// Adds soon; all of it is added when `group` is empty.
  func add(_ counts: [WordCounts], group: DispatchGroup) {
    for (number, stripe) in stripes.enumerated() {
      stripe.queue.async(group: group, flags: .barrier) {
        for count in counts { stripe.table.add(count.tables[number]) }
      }
    }
  }

  /// How many words differ so far.
  var distinct: Int {
    stripes.reduce(0) { sum, stripe in sum + stripe.queue.sync { stripe.table.entries.count } }
  }

  /// What the stripes hold, the `top` most frequent words of each found at the same time.
  func summaries(top: Int) -> [TableSummary] {
    var summaries = Array(repeating: TableSummary(), count: stripes.count)
    summaries.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: every body writes a place of its own, and all have returned before this closure does.
      nonisolated(unsafe) let results = buffer
      DispatchQueue.concurrentPerform(iterations: stripes.count) { number in
        let stripe = stripes[number]
        results[number] = stripe.queue.sync { TableSummary(stripe.table, top: top) }
      }
    }
    return summaries
  }
}
