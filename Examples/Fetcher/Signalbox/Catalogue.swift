// Catalogue.swift: what there is to fetch, as the server describes it in JSON. Values only.

struct Document: Codable, Sendable {
  let name: String
  let size: Int
  let checksum: UInt32
}

struct Pack: Codable, Sendable {
  enum Place: String, Codable, Sendable {
    /// The server has it.
    case server
    /// It lies in a folder of this machine.
    case local
  }
  enum Urgency: String, Codable, Sendable {
    case low, normal, high
  }

  let name: String
  let place: Place
  let urgency: Urgency
  /// After this many milliseconds without an answer the whole pack is given up.
  let patience: Int
  let documents: [Document]

  var size: Int { documents.reduce(0) { $0 + $1.size } }

  /// How eagerly operations for this pack are taken from a queue.
  var priority: Operation.QueuePriority {
    switch urgency {
    case .low: .low
    case .normal: .normal
    case .high: .high
    }
  }
}

struct Catalogue: Codable, Sendable {
  static let fileName = "catalogue.json"
  let packs: [Pack]

  var documents: [Document] { packs.flatMap(\.documents) }
  var size: Int { packs.reduce(0) { $0 + $1.size } }
}
