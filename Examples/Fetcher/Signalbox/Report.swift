// Report.swift: what a run comes to, in lines that are the same in every run: sorted, and without times.

struct Report {
  let text: String
  let problems: [String]

  init(download: Download, library: Library, journal: URL) {
    let room = ReadingRoom(library: library)
    let (together, alone) = (room.readTogether(), room.readAlone())
    var lines = Self.lines(of: download)
    lines += [
      "read together: \(Self.line(together.counts))",
      "read alone: \(Self.line(alone.counts))",
      Self.index(library),
      "journal: \(Self.lineCount(journal)) lines",
    ]
    text = lines.joined(separator: "\n") + "\n"
    problems = together.problems + alone.problems
  }

  private static func lines(of download: Download) -> [String] {
    guard let catalogue = download.catalogue, let board = download.board else { return [] }
    let downloader = download.downloader
    let progress = board.summary
    let events = Ledger.Event.allCases.map { "\($0.rawValue) \(downloader.ledger[$0])" }
    return [
      "catalogue: \(catalogue.packs.count) packs, \(catalogue.documents.count) documents, \(catalogue.size) bytes",
      "counted: \(events.joined(separator: ", "))",
      "progress: \(Int((progress.fraction * 1_000).rounded())) of 1000: \(progress.packs.joined(separator: ", "))",
      "notifications: \(board.notifications)",
    ] + downloader.summaries.values.map(\.text).sorted() + [
      "published: \(inOrder(downloader.published.values))"
    ]
  }

  /// Packs of one urgency by name: a queue promises no order among operations that became ready one after the other.
  private static func inOrder(_ packs: [Pack]) -> String {
    var groups: [[Pack]] = []
    for pack in packs {
      if groups.last?.last?.urgency != pack.urgency { groups.append([]) }
      groups[groups.count - 1].append(pack)
    }
    return groups.map { group in
      "\(group[0].urgency.rawValue) \(group.map(\.name).sorted().joined(separator: " "))"
    }.joined(separator: ", ")
  }

  private static func line(_ counts: DocumentCache.Counts) -> String {
    "\(counts.served) from memory, \(counts.loaded) loaded, \(counts.evicted) evicted"
  }

  /// Asked for in a work item, so that the main thread could do something else meanwhile.
  private static func index(_ library: Library) -> String {
    let answer = Gathered<String>()
    let item = DispatchWorkItem {
      let (distinct, top) = library.mostFrequent(3)
      answer.add("index: \(distinct) words, most often " + top.map { "\($0.word) \($0.count)" }.joined(separator: ", "))
    }
    DispatchQueue.global(qos: .userInitiated).async(execute: item)
    item.wait()
    return answer.values.joined()
  }

  private static func lineCount(_ file: URL) -> Int {
    (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").count ?? 0
  }
}
