// RecordingPiece.swift: what one piece of a recording's file holds: events of a ring, or names. Which pieces a file has
// is RecordingFile.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// One piece of a ring: what one thread wrote after the other.
struct RecordingPiece {
  let ring, first: ReadNumber
  /// The threads, each as far as this piece has it.
  private(set) var threads: [RecordingFile.Thread]
  /// Events in it, those included that only say something about those that follow.
  private(set) var count = 0
  /// Whether nothing in it is other than threads write it.
  private(set) var isWhole: Bool

  /// - Parameter isOver: the recording was stopped: no thread writes into the piece while it is read.
  init(_ words: RecordingWords, _ scale: RecordingScale, isOver: Bool) {
    (ring, first) = (words[.ring], words[.first])
    threads = [RecordingFile.Thread(words[.number], who: words[.thread], name: (words[.name0], words[.name1]))]
    isWhole = ring != 0 && words[.number] != 0
    var base = words[.base]
    while count < RecordLayout.cellsInChunk {
      let place = RecordLayout.chunkHeadSize + count * RecordLayout.cellSize
      let cell = (words.bits(at: place), words.bits(at: place + 8), words.bits(at: place + 16))
      guard let event = EventCell(words: cell) else {
        // The first word is written last, so it is 0 where an event is half written, and where there is none.
        if cell.0 != 0 || isOver && words.isWritten(behind: place + RecordLayout.cellSize) { isWhole = false }
        break
      }
      count += 1
      take(event, &base, scale)
    }
  }

  private mutating func take(_ cell: EventCell, _ base: inout ReadNumber, _ scale: RecordingScale) {
    let last = threads.count - 1
    let event = RecordingFile.Event(
      kind: cell.kind, time: scale.time(base + ReadNumber(cell.time)), a: ReadNumber(cell.a), b: ReadNumber(cell.b),
      c: ReadNumber(cell.c))
    switch event.kind {
    case .time: base = event.number
    case .threadBegan:
      if event.a != threads[last].number {
        threads.append(RecordingFile.Thread(event.a, who: event.number, name: (0, 0)))
      }
    case .threadName:
      threads[last].kernelName = RecordingFile.Thread.name((event.a | event.b << 48, event.b >> 16 | event.c << 32))
    default:
      if event.kind == .submitted, RecordedClass(event.a & ReadNumber(ItemTraits.classMask)) == nil { isWhole = false }
      threads[last].events.append(event)
    }
  }

  /// The threads of one ring, whose events of one piece follow those of the piece before.
  static func join(_ pieces: [RecordingPiece]) -> [RecordingFile.Thread] {
    var threads: [RecordingFile.Thread] = []
    var expected: ReadNumber = 0
    for piece in pieces.sorted(by: { $0.first < $1.first }) {
      for (place, part) in piece.threads.enumerated() {
        if threads.last?.number != part.number {
          threads.append(part)
          threads[threads.count - 1].events = []
        }
        let last = threads.count - 1
        if place == 0, piece.first > expected {
          threads[last].gaps.append((threads[last].events.count, piece.first - expected))
        }
        threads[last].events += part.events
        if !part.kernelName.isEmpty { threads[last].kernelName = part.kernelName }
      }
      expected = piece.first + ReadNumber(count: piece.count)
    }
    for place in threads.indices { threads[place].putInOrder() }
    return threads
  }
}

/// The names in one piece.
struct RecordedNames {
  private(set) var all: [(address: ReadNumber, name: RecordingFile.Name)] = []
  /// Parts of files with functions.
  private(set) var images: [(range: Range<ReadNumber>, base: ReadNumber, path: String)] = []
  /// Whether all entries are as a program writes them.
  private(set) var isWhole = true

  init(_ words: RecordingWords, _ scale: RecordingScale) {
    var entry = 0
    while entry < RecordLayout.namesInChunk {
      let place = RecordLayout.chunkHeadSize + entry * RecordLayout.nameSize, first = words.at(place)
      entry += 1
      guard let kind = NameKind(rawValue: first.lowest(UInt8.self)) else {
        if first != 0 { isWhole = false }
        continue
      }
      // The rest of a text whose first entry is not written.
      guard kind != .more else { continue }
      let more = Int((first >> 8).lowest(UInt8.self)), length = Int((first >> 16).lowest(UInt16.self))
      var bytes = Array(words.bytes(place + RecordLayout.nameText..<place + RecordLayout.nameSize))
      for _ in 0..<more where entry < RecordLayout.namesInChunk {
        let next = RecordLayout.chunkHeadSize + entry * RecordLayout.nameSize
        guard words.at(next).lowest(UInt8.self) == NameKind.more.rawValue else { break }
        bytes += words.bytes(next + RecordLayout.moreText..<next + RecordLayout.nameSize)
        entry += 1
      }
      if length > bytes.count { isWhole = false }
      let text = String(decoding: bytes.prefix(length), as: UTF8.self)
      take(kind, words.at(place + 8), scale.time(words.at(place + 16)), words.at(place + 24), text)
    }
  }

  private mutating func take(
    _ kind: NameKind, _ address: ReadNumber, _ time: ReadNumber, _ extra: ReadNumber, _ text: String
  ) {
    guard kind == .image else {
      if kind == .queue, RecordedClass(extra >> 8) == nil { isWhole = false }
      return all.append((address, RecordingFile.Name(kind: kind, time: time, extra: extra, text: text)))
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let base = UInt64(parts[0], radix: 16), address < extra else { return isWhole = false }
    images.append((address..<extra, ReadNumber(base), String(parts[1])))
  }
}
