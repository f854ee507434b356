// TaskCount.swift: the same count with a task group instead of queues, for comparison. Swift tasks need no queue of ours,
// but run on the toolchain's library: Subject.swift says where comparing makes sense.

/// Counts the tree in Swift tasks while the calling thread, which must not be a task's, waits.
/// What cannot be read is counted but not told again.
func countWithTasks(_ options: Options) -> Summary {
  let done = DispatchSemaphore(value: 0)
  let result = Handover()
  Task.detached {
    result.summary = await countInTaskGroup(options)
    done.signal()
  }
  done.wait()
  return result.summary!
}

// SAFETY: written before the semaphore is signalled, read after it was waited for.
private final class Handover: @unchecked Sendable {
  var summary: Summary?
}

private struct FileResult: Sendable {
  var counts = WordCounts()
  var wasRead = false
  var failed = false
}

private func countInTaskGroup(_ options: Options) async -> Summary {
  var sum = TaskSum()
  await withTaskGroup(of: FileResult.self) { group in
    var walk = TreeWalk(options.tree)
    var underWay = 0
    while let found = walk.next() {
      guard case .file(let path) = found else {
        sum.unreadable += 1
        continue
      }
      if underWay == options.readers, let result = await group.next() { sum.add(result) } else { underWay += 1 }
      group.addTask { countFile(path) }
    }
    for await result in group { sum.add(result) }
  }
  return sum.summary(top: options.top)
}

private func countFile(_ path: Path) -> FileResult {
  var result = FileResult()
  do throws(ReadFailure) {
    guard let scan = try FileScan(path) else { return result }
    while let window = try scan.nextWindow() { result.counts.add(window) }
    result.wasRead = true
  } catch {
    result.failed = true
  }
  return result
}

/// What the group's files come to so far.
private struct TaskSum {
  private var files = 0
  private var bytes = 0
  private var words = 0
  private var tables = Array(repeating: WordTable(), count: WordCounts.stripes)
  var unreadable = 0

  mutating func add(_ result: FileResult) {
    files += result.wasRead ? 1 : 0
    unreadable += result.failed ? 1 : 0
    bytes += result.counts.bytes
    words += result.counts.words
    for number in tables.indices { tables[number].add(result.counts.tables[number]) }
  }

  func summary(top: Int) -> Summary {
    let vocabulary = TableSummary(tables.map { TableSummary($0, top: top) }, top: top)
    return Summary(files: files, bytes: bytes, words: words, unreadable: unreadable, vocabulary: vocabulary)
  }
}
