// DescribedCopy.swift: a copy of Signalbox in a process that is read from outside: how it is found, and where its tables lie. What the words
// mean is ProcessDescription.swift (SignalboxSystem); the way there is described in SignalboxDiagnosis/Inspection/README.md.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// One copy's table, copied.
struct DescribedCopy: Sendable {
  /// The program or library that it lies in.
  let image: String
  let memory: any ProcessMemory
  /// All programs and libraries of the process.
  let images: ReadImages
  private let words: [ReadNumber]
  /// The same for views.
  var reading: ReadMemory { .other(memory, description: words) }
  /// Reads its items.
  var items: ItemReader {
    ItemReader(reading) { [images] one, other in
      images.image(at: ReadNumber(UInt64(one)))?.base == images.image(at: ReadNumber(UInt64(other)))?.base
    }
  }

  /// What became of searching for copies.
  struct Findings {
    var copies: [DescribedCopy] = []
    /// Programs and libraries with a copy that has not been used yet; with one of another version.
    var unused: [String] = [], others: [String] = []
  }

  /// The copies in a process.
  static func find(in process: any ReadProcess) -> Findings {
    var findings = Findings()
    for image in process.images.all {
      guard let place = table(in: image, process.memory) else { continue }
      guard let words = words(at: place, process.memory), words[0] == ReadNumber(ProcessDescription.mark) else {
        findings.unused.append(image.path)
        continue
      }
      let copy = DescribedCopy(image: image.path, memory: process.memory, images: process.images, words: words)
      guard copy.isKnown else {
        findings.others.append(image.path)
        continue
      }
      findings.copies.append(copy)
    }
    return findings
  }

  /// The table at an address, as it was at one moment: words are added while the process runs, and what is the same in two copies was so
  /// between them.
  private static func words(at place: ReadNumber, _ memory: any ProcessMemory) -> [ReadNumber]? {
    guard let said = memory.word64(place + ReadNumber(count: DescribedWord.wordCount.rawValue * 8)) else { return nil }
    let count = said == 0 ? ProcessDescription.firstCount : said.int(upTo: ProcessDescription.count)
    var last = memory.words(place, count)
    for _ in 0..<16 {
      guard let first = last, let second = memory.words(place, count) else { return nil }
      // What an older table has no word for is not known.
      if first == second { return first + Array(repeating: 0, count: ProcessDescription.count - count) }
      last = second
    }
    return nil
  }

  /// Where an image's note says that its table lies.
  private static func table(in image: ReadImages.Image, _ memory: any ProcessMemory) -> ReadNumber? {
    let reader = ELFReader(mostBytes: mostNotes) { memory.bytes(image.base + ReadNumber($0), $1) ?? [] }
    guard let reader, reader.is64, reader.isLittle else { return nil }
    let segments = reader.segments
    // The image's beginning lies where its first part wants it, plus the same for all.
    guard let first = segments.first(where: { $0.type == ELFReader.loadSegment }) else { return nil }
    let bias = image.base.distance(from: first.address.distance(from: first.offset))
    for segment in segments where segment.type == ELFReader.noteSegment {
      let start = segment.address.moved(by: bias)
      let notes = ELFNotes(memory.bytes(start, segment.memorySize.int(upTo: mostNotes)) ?? [])
      if let note = notes.first(where: isOfTable) {
        let contents = Array(note.contents)
        return start.moved(by: ReadNumber(count: note.contents.startIndex)).moved(by: contents.word64(at: 0))
      }
    }
    return nil
  }

  /// Whether it is the note that leads to the table (ProcessDescription.note).
  private static func isOfTable(_ note: ELFNotes.Note) -> Bool {
    note.type == 1 && note.name.elementsEqual("Signalbox\0".utf8) && note.contents.count >= 8
  }

  /// No segment of notes is read further.
  private static let mostNotes = 1 << 16

  subscript(_ word: DescribedWord) -> ReadNumber { words[word.rawValue] }

  /// Whether this is the child of a fork: nothing is known of it then.
  var isForkedChild: Bool { memory.bytes(self[.forkedChild], 1).map { $0[0] != 0 } ?? false }

  /// Owner values name a slot by 16 bits.
  private static let mostSlots: ReadNumber = 1 << 16

  /// Of the version that is read here, and such that reading ends.
  private var isKnown: Bool {
    guard self[.version] == ReadNumber(ProcessDescription.version), self[.slotSize] == 16,
      self[.slotCount].isBetween(1, and: Self.mostSlots),
      self[.waitSize].isBetween(80, and: 65_536)
    else { return false }
    let lists: [(place: DescribedWord, count: DescribedWord)] = [
      (.waitWords, .waitWordCount), (.waitFrames, .waitFrameCount), (.waitShared, .waitSharedCount),
      (.waitStack, .waitStackCount),
    ]
    return lists.allSatisfy { list in
      self[list.place].isBetween(9, and: 8_192) && self[list.count] <= 255
        && (self[list.place] + self[list.count]) * 8 <= self[.waitSize]
    }
  }
}
