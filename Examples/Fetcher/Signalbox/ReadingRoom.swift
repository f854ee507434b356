// ReadingRoom.swift: reads documents of the library again, through a cache: at first many readers at once, then one with little
// room.

struct ReadingRoom {
  let library: Library

  /// Three readers for every document, eight at a time, room for all: each document is loaded once, whoever comes first.
  func readTogether() -> (counts: DocumentCache.Counts, problems: [String]) {
    let cache = DocumentCache(capacity: .max, load: load)
    let problems = Gathered<String>()
    let readers = OperationQueue()
    readers.name = "fetcher.readers"
    readers.maxConcurrentOperationCount = 8
    readers.qualityOfService = .userInitiated
    let rounds = (0..<3).flatMap { _ in library.all }
    let operations = rounds.map { document in
      BlockOperation { if let problem = check(document, in: cache) { problems.add(problem) } }
    }
    readers.addOperations(operations, waitUntilFinished: true)
    return (cache.counts, problems.values)
  }

  /// One reader who comes back to what it read long ago, with room for a third of all: who is evicted is always the same.
  func readAlone() -> (counts: DocumentCache.Counts, problems: [String]) {
    let documents = library.all
    let cache = DocumentCache(capacity: documents.reduce(0) { $0 + $1.size } / 3, load: load)
    let problems = Gathered<String>()
    let reader = OperationQueue()
    reader.maxConcurrentOperationCount = 1
    for (index, document) in documents.enumerated() {
      for document in [document, documents[index / 2]] {
        reader.addOperation { if let problem = check(document, in: cache) { problems.add(problem) } }
      }
    }
    reader.waitUntilAllOperationsAreFinished()
    return (cache.counts, problems.values)
  }

  private var load: @Sendable (String) throws -> Data {
    let documents = Dictionary(uniqueKeysWithValues: library.all.map { ($0.name, $0) })
    return { [library] name in
      guard let document = documents[name] else { throw CocoaError(.fileNoSuchFile) }
      return try library.read(document)
    }
  }

  private func check(_ document: Document, in cache: DocumentCache) -> String? {
    do {
      let data = try cache.document(document.name)
      return data.count == document.size ? nil : "\(document.name): read \(data.count) bytes, not \(document.size)"
    } catch {
      return "\(document.name): \(error.localizedDescription)"
    }
  }
}
