// DescribedCopy+Search.swift: how the copies of Signalbox in a process are found: by the note that each leaves in its
// program or library, or because the process has said where its table lies. What a table says is DescribedCopy.swift
// (SignalboxView).
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension DescribedCopy {
  /// What became of searching for copies.
  struct Findings {
    var copies: [DescribedCopy] = []
    /// Programs and libraries with a copy that has not been used yet; with one of another version.
    var unused: [String] = [], others: [String] = []
  }

  /// The copies in a process.
  static func find(in process: any ReadProcess) -> Findings {
    var findings = Findings()
    let images = process.images
    for (image, place) in process.tables {
      let copy = DescribedCopy(in: image, table: place, process.memory) { one, other in
        images.image(at: ReadNumber(UInt64(one)))?.base == images.image(at: ReadNumber(UInt64(other)))?.base
      }
      guard let copy else {
        findings.unused.append(image)
        continue
      }
      if copy.isKnown { findings.copies.append(copy) } else { findings.others.append(image) }
    }
    return findings
  }

  /// The tables to which the notes of the images lead, each with its program or library.
  static func tables(of images: ReadImages, _ memory: any ProcessMemory) -> [(image: String, place: ReadNumber)] {
    images.all.compactMap { image in table(in: image, memory).map { (image.path, $0) } }
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
}
