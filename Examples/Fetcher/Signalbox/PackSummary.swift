// PackSummary.swift: what became of a pack: how many of its documents are in the library, and a checksum over all of them.

struct PackSummary: Sendable {
  let pack: Pack
  let stored: Int
  let size: Int
  let checksum: Checksum

  init(of pack: Pack, in library: Library) {
    let documents = library.documents(of: pack)
    var checksum = Checksum()
    for document in documents {
      if let data = try? library.read(document) { checksum.add(data) }
    }
    self.pack = pack
    self.checksum = checksum
    stored = documents.count
    size = documents.reduce(0) { $0 + $1.size }
  }

  var text: String {
    guard stored > 0 else { return "\(pack.name): nothing came" }
    return "\(pack.name): \(stored) of \(pack.documents.count) documents, \(size) bytes, checksum \(checksum.text)"
  }
}
