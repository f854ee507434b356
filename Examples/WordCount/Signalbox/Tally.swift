// Tally.swift: what happened so far, on one serial queue: files, bytes, words, complaints, and the line of progress.
// The words themselves are in Totals.swift.

// SAFETY: every stored `var` is touched in items of `queue` only.
final class Tally: @unchecked Sendable {
  let queue = DispatchQueue(label: "wordcount.tally")
  private let totals: Totals
  private let progress: Progress?
  private var files = 0
  private var bytes = 0
  private var words = 0
  private var unreadable = 0

  /// - Parameter progress: nil says nothing.
  init(_ totals: Totals, progress: Progress?) {
    self.totals = totals
    self.progress = progress
  }

  /// Part of a file is in the totals. Called on `queue`.
  func addPart(_ counts: [WordCounts]) {
    dispatchPrecondition(condition: .onQueue(queue))
    for count in counts {
      bytes += count.bytes
      words += count.words
    }
    progress?.showIfDue { "\(files) files, \(bytes >> 20) MiB, \(words) words, \(totals.distinct) distinct" }
  }

  /// A file has been read to its end.
  func finishFile() { queue.async { self.files += 1 } }

  func fail(_ failure: ReadFailure) {
    queue.async {
      self.unreadable += 1
      self.progress?.clear()
      Console.complain("\(failure)")
    }
  }

  /// Called when nothing is under way any more.
  func summary(top: Int) -> Summary {
    let vocabulary = TableSummary(totals.summaries(top: top), top: top)
    return queue.sync {
      progress?.clear()
      return Summary(files: files, bytes: bytes, words: words, unreadable: unreadable, vocabulary: vocabulary)
    }
  }
}
