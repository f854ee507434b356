// Origin.swift: makes up what the server serves: documents of words, the same in every run, and their catalogue.

struct Origin {
  private static let packNames = [
    "alder", "birch", "cedar", "elm", "fir", "hazel", "ivy", "juniper", "kapok", "larch", "maple", "nutmeg", "oak", "pine",
    "quince", "rowan", "spruce", "teak", "ume", "vine", "willow", "xylia", "yew", "zelkova",
  ]
  private static let words = [
    "barrier", "cache", "deadline", "enqueue", "fence", "group", "handler", "item", "join", "kernel", "lock", "monitor",
    "notify", "operation", "priority", "queue", "resume", "semaphore", "timer", "unlock", "voucher", "wait", "yield", "zone",
  ]

  /// Writes the files of `options.packs` packs below `folder`, several packs at once.
  static func make(_ options: Options, in folder: URL) throws -> Catalogue {
    let packs = Gathered<Result<Pack, any Error>>()
    DispatchQueue.concurrentPerform(iterations: options.packs) { index in
      packs.add(Result { try makePack(index, options, in: folder) })
    }
    let catalogue = Catalogue(packs: try packs.values.map { try $0.get() }.sorted { $0.name < $1.name })
    try JSONEncoder().encode(catalogue).write(to: folder.appendingPathComponent(Catalogue.fileName))
    return catalogue
  }

  /// The second pack's documents never come; the last one is local.
  private static func makePack(_ index: Int, _ options: Options, in folder: URL) throws -> Pack {
    let name = packNames[index]
    let documents = try (1...options.documents).map { number in
      let text = text(of: 1_000 * index + number)
      let document = Document(name: "\(name)-\(number).txt", size: text.count, checksum: checksum(of: text))
      try text.write(to: folder.appendingPathComponent(document.name))
      return document
    }
    return Pack(
      name: name, place: index == options.packs - 1 ? .local : .server,
      urgency: [.normal, .low, .high][index % 3], patience: name == Server.silentPack ? 150 : 60_000, documents: documents)
  }

  private static func checksum(of text: Data) -> UInt32 {
    var sum = Checksum()
    sum.add(text)
    return sum.value
  }

  /// Between 200 and 4,000 words, drawn by a small generator that starts from `seed`.
  private static func text(of seed: Int) -> Data {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var text = Data()
    for _ in 0..<(200 + draw(3_800)) {
      text.append(contentsOf: words[min(draw(words.count), draw(words.count))].utf8)
      text.append(draw(12) == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
    }
    return text
  }
}
