// Workspace.swift: the folder of one run: what the server has, what is under way, what has arrived. Removed at the end.

struct Workspace: Sendable {
  let root: URL
  /// What the server serves.
  let origin: URL
  /// Documents that are being fetched or checked.
  let incoming: URL
  /// Documents that are whole.
  let library: URL
  /// What was done, line by line.
  var journal: URL { root.appendingPathComponent("journal.txt") }

  init(in folder: URL) throws {
    root = folder.appendingPathComponent("fetcher-\(UUID().uuidString)", isDirectory: true)
    origin = root.appendingPathComponent("origin", isDirectory: true)
    incoming = root.appendingPathComponent("incoming", isDirectory: true)
    library = root.appendingPathComponent("library", isDirectory: true)
    for folder in [origin, incoming, library] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }

  func remove() throws { try FileManager.default.removeItem(at: root) }

  func incoming(_ document: Document) -> URL { incoming.appendingPathComponent(document.name) }
  func library(_ document: Document) -> URL { library.appendingPathComponent(document.name) }
}
