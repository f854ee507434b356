// Library.swift: the documents that have arrived whole, and an index of their words.

/// Many may read at once; who adds something is alone.
///
/// Thread safety: any thread.
// SAFETY of @unchecked: `documents` and `words` are read in items of `queue` and changed in its barriers.
final class Library: @unchecked Sendable {
  private let workspace: Workspace
  private let queue = DispatchQueue(label: "fetcher.library", attributes: .concurrent)
  private var documents: [String: [Document]] = [:]
  private var words: [String: Int] = [:]

  init(in workspace: Workspace) { self.workspace = workspace }

  /// Takes a checked file over; its words come into the index later, within `group`.
  func add(_ document: Document, of pack: Pack, indexing group: DispatchGroup) throws {
    let file = workspace.library(document)
    try FileManager.default.moveItem(at: workspace.incoming(document), to: file)
    queue.sync(flags: .barrier) { documents[pack.name, default: []].append(document) }
    DispatchQueue.global(qos: .utility).async(group: group) { [self] in
      let counts = Self.count(file)
      queue.async(group: group, flags: .barrier) { self.words.merge(counts, uniquingKeysWith: +) }
    }
  }

  /// A pack's documents, by name.
  func documents(of pack: Pack) -> [Document] {
    queue.sync { documents[pack.name, default: []] }.sorted { $0.name < $1.name }
  }

  /// All documents, by name.
  var all: [Document] { queue.sync { documents.values.flatMap { $0 } }.sorted { $0.name < $1.name } }

  func read(_ document: Document) throws -> Data { try Data(contentsOf: workspace.library(document)) }

  /// How many different words there are, and the `count` most frequent ones; the first by name among equals.
  func mostFrequent(_ count: Int) -> (distinct: Int, top: [(word: String, count: Int)]) {
    let words = queue.sync { self.words }
    let ranked = words.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    return (words.count, ranked.prefix(count).map { ($0.key, $0.value) })
  }

  private static func count(_ file: URL) -> [String: Int] {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
    return text.split(whereSeparator: \.isWhitespace).reduce(into: [:]) { $0[String($1), default: 0] += 1 }
  }
}
