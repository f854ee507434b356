// QueueCount.swift: the count with queues: one thread walks, a semaphore limits the files under way, groups tell when each
// is done. The same with Swift tasks is TaskCount.swift.

/// Counts the tree. Blocks the calling thread, and no other.
func countWithQueues(_ options: Options) -> Summary {
  let totals = Totals()
  let tally = Tally(totals, progress: Progress.onTerminal())
  let count = QueueCount(totals: totals, tally: tally, permits: DispatchSemaphore(value: options.readers))
  var walk = TreeWalk(options.tree)
  while let found = walk.next() {
    switch found {
    case .file(let path): count.begin(path)
    case .failure(let failure): tally.fail(failure)
    }
  }
  count.files.wait()
  return tally.summary(top: options.top)
}

private struct QueueCount: Sendable {
  let totals: Totals
  let tally: Tally
  /// One for each file that may be in memory.
  let permits: DispatchSemaphore
  /// Entered for every file from `begin` until its last word is in the totals.
  let files = DispatchGroup()
  let readers = DispatchQueue(label: "wordcount.readers", attributes: .concurrent)

  /// Waits until fewer files than allowed are under way, then has this one counted.
  func begin(_ path: Path) {
    permits.wait()
    files.enter()
    readers.async {
      do throws(ReadFailure) {
        if let scan = try FileScan(path) { countNextWindow(of: scan) } else { end() }
      } catch {
        tally.fail(error)
        end()
      }
    }
  }

  /// Counts a window and goes on with the next when its words are in the totals: a file is never more than one window
  /// in memory, and nobody waits for the totals.
  private func countNextWindow(of scan: FileScan) {
    do throws(ReadFailure) {
      guard let window = try scan.nextWindow() else {
        tally.finishFile()
        return end()
      }
      let counts = countWords(window)
      let added = DispatchGroup()
      totals.add(counts, group: added)
      tally.queue.async(group: added) { tally.addPart(counts) }
      added.notify(queue: readers) { countNextWindow(of: scan) }
    } catch {
      tally.fail(error)
      end()
    }
  }

  private func end() {
    permits.signal()
    files.leave()
  }
}
