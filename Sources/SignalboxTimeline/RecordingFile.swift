// RecordingFile.swift: a recording as it lies in its file, read into threads with their events, and names. What the events mean together
// is Replay.swift; the file's form is described in SignalboxRecorder.
import SignalboxRecorder
import SignalboxSystem

/// Why a file cannot be read as a recording.
public struct UnreadableRecording: Error, CustomStringConvertible {
  /// In words that follow the file's name.
  public let description: String
}

/// A recording: of a program that has ended in order, was killed, or is running still.
public struct RecordingFile: Sendable {
  /// One event, its time in nanoseconds of the uptime clock.
  public struct Event: Sendable {
    /// What happened.
    public let kind: EventKind
    /// When.
    public fileprivate(set) var time: UInt64
    /// What it speaks of: see `EventKind`.
    public let a, b, c: UInt64
  }

  /// What one thread wrote.
  public struct Thread: Sendable {
    /// Its number in the recording.
    public let number: UInt64
    /// How locks and queues name it.
    public let owner: UInt64
    /// The kernel's number.
    public let id: Int32
    /// Whether it is the process's first, or one of the pool's.
    public let isMain, isWorker: Bool
    /// The kernel's name of it.
    public fileprivate(set) var kernelName: String
    /// Its events, in order.
    public fileprivate(set) var events: [Event] = []
    /// How many events are missing before the event of that place.
    public fileprivate(set) var gaps: [(place: Int, count: UInt64)] = []

    /// What people call it.
    public var name: String { isMain ? "main thread" : isWorker ? "worker" : kernelName.isEmpty ? "thread" : kernelName }

    fileprivate init(_ number: UInt64, who: UInt64, name: (UInt64, UInt64)) {
      (self.number, owner, id) = (number, who & RecordLayout.ownerMask, Int32(truncatingIfNeeded: who >> 32))
      (isMain, isWorker) = (who & RecordLayout.isMain != 0, who & RecordLayout.isWorker != 0)
      kernelName = Self.name(name)
    }

    fileprivate static func name(_ words: (UInt64, UInt64)) -> String {
      let bytes = [words.0, words.1].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Takes away what is older, and the gaps in it.
    fileprivate mutating func drop(before time: UInt64) {
      let count = events.firstIndex { $0.time >= time } ?? events.count
      guard count > 0 else { return }
      events.removeFirst(count)
      gaps = gaps.filter { $0.place > count }.map { ($0.place - count, $0.count) }
    }

    /// No event is earlier than the one before it, whatever the processors count on which the thread ran.
    fileprivate mutating func putInOrder() {
      var last: UInt64 = 0
      for place in events.indices {
        if events[place].time < last { events[place].time = last }
        last = events[place].time
      }
    }
  }

  /// The name of an address, from a time on.
  struct Name: Sendable {
    let kind: NameKind
    let time: UInt64
    let extra: UInt64
    let text: String
  }

  /// The recorded process.
  public let process: Int32
  /// Whether the recording was stopped in order.
  public let isComplete: Bool
  /// Of a flight recording: of how many seconds before the last event the events are here; 0: all.
  public let seconds: UInt64
  /// When it began, on the uptime and the wall clock.
  public let start, wall: UInt64
  /// What could not be written down: events of threads without a ring, and names.
  public let lostEvents, lostNames: UInt64
  /// Whether the file got less room than it asked for: the disk is full, or files may not be longer.
  public let lacksRoom: Bool
  /// The threads, by their numbers.
  public private(set) var threads: [Thread] = []
  private(set) var names: [UInt64: [Name]] = [:]
  /// Parts of files with functions.
  private(set) var images: [(range: Range<UInt64>, base: UInt64, path: String)] = []

  /// How it is copied while it is written.
  public static let layout = RecordLayout.copy

  /// Whether a regular file begins as recordings do.
  public static func isRecording(_ path: String) throws(UnreadableRecording) -> Bool {
    guard try system({ () throws(SystemError) in try FileStatus(of: RawString(path)) }).kind == .regular else { return false }
    let file = try system { () throws(SystemError) in try FileBytes(RawString(path)) }
    return Words(file.read(at: 0, count: 8))[RecordLayout.Head.magic.rawValue] == RecordLayout.magic
  }

  /// Reads a file.
  public init(_ path: String) throws(UnreadableRecording) {
    let status = try Self.system { () throws(SystemError) in try FileStatus(of: RawString(path)) }
    guard status.kind == .regular else { throw UnreadableRecording(description: "is no regular file") }
    let file = try Self.system { () throws(SystemError) in try FileBytes(RawString(path)) }
    let head = Words(file.read(at: 0, count: RecordLayout.headSize))
    func word(_ word: RecordLayout.Head) -> UInt64 { head[word.rawValue] }
    guard word(.magic) == RecordLayout.magic else { throw UnreadableRecording(description: "is no recording") }
    let version = word(.version) & 0xFFFF_FFFF
    guard (RecordLayout.oldestVersion...RecordLayout.version).contains(version),
      word(.version) >> 32 == UInt64(RecordLayout.chunkSize)
    else {
      throw UnreadableRecording(
        description: "is a recording of another version of Signalbox: its layout is \(version), and those from "
          + "\(RecordLayout.oldestVersion) to \(RecordLayout.version) can be read")
    }
    process = Int32(truncatingIfNeeded: word(.process))
    isComplete = word(.state) == 2
    seconds = word(.seconds)
    (start, wall) = (word(.startUptime), word(.startWall))
    (lostEvents, lostNames, lacksRoom) = (word(.lostEvents), word(.lostNames), word(.refusals) > 0)
    let late = word(.pair) & 1 == 0 ? (word(.ticks0), word(.uptime0)) : (word(.ticks1), word(.uptime1))
    let scale = TimeScale(from: (word(.startTicks), start), to: late)
    var pieces: [UInt64: [Piece]] = [:]
    // A damaged head may say anything; what lies behind the file's end is not there.
    for number in 0..<min(word(.chunksTaken), file.size / UInt64(RecordLayout.chunkSize) + 1) {
      let place = UInt64(RecordLayout.headSize) + number * UInt64(RecordLayout.chunkSize)
      let words = Words(file.read(at: place, count: RecordLayout.chunkSize))
      switch words[RecordLayout.Chunk.kind.rawValue] {
      case RecordLayout.events:
        let piece = Piece(words, scale)
        // What was given to other events while it was read, as the program runs still, is lost like what was given before.
        let after = Words(file.read(at: place, count: RecordLayout.chunkHeadSize))
        if Self.headWords(after) == Self.headWords(words) { pieces[piece.ring, default: []].append(piece) }
      case RecordLayout.names: takeNames(words, scale)
      default: break
      }
    }
    threads = pieces.values.flatMap(Self.join).sorted { $0.number < $1.number }
    for address in names.keys { names[address]?.sort { $0.time < $1.time } }
    if seconds > 0 { keepLastSeconds() }
  }

  private mutating func keepLastSeconds() {
    let end = self.end, span = min(end, min(seconds, Self.latest / 1_000_000_000) * 1_000_000_000)
    for place in threads.indices { threads[place].drop(before: end - span) }
  }

  /// The name of `address` at `time`.
  func name(_ address: UInt64, at time: UInt64) -> Name? {
    guard let all = names[address] else { return nil }
    return all.last { $0.time <= time } ?? all.first
  }

  /// Which of the address's names it has at `time`: two times with one answer have one name.
  func generation(_ address: UInt64, at time: UInt64) -> Int {
    guard let all = names[address], all.count > 1 else { return 0 }
    return all.lastIndex { $0.time <= time } ?? 0
  }

  /// The latest moment that is taken for one: the clock goes no further, and two of them have a sum.
  static let latest: UInt64 = 1 << 62

  /// When the first event was.
  var firstEvent: UInt64 { threads.compactMap { $0.events.first?.time }.min() ?? start }
  /// When the last event was.
  var end: UInt64 { threads.compactMap { $0.events.last?.time }.max() ?? start }

  /// The file that holds the function at `address`, and how far behind the image's beginning it lies.
  func place(_ address: UInt64) -> (path: String, offset: UInt64)? {
    images.first { $0.range.contains(address) }.map { ($0.path, address &- $0.base) }
  }

  // MARK: reading

  static func system<R>(_ body: () throws(SystemError) -> R) throws(UnreadableRecording) -> R {
    do throws(SystemError) { return try body() } catch {
      throw UnreadableRecording(description: "cannot be read: \(error.words)")
    }
  }

  /// Words of 64 bits; what lies behind their end is 0.
  struct Words {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    subscript(number: Int) -> UInt64 { at(number * 8) }
    func at(_ place: Int) -> UInt64 {
      guard place + 8 <= bytes.count else { return 0 }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    }
    /// As many of these bytes as there are.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range.clamped(to: 0..<bytes.count)] }
  }

  /// From the processor's counter to nanoseconds of the uptime clock.
  struct TimeScale {
    let ticks, uptime: UInt64
    let rate: Double
    init(from: (ticks: UInt64, uptime: UInt64), to: (ticks: UInt64, uptime: UInt64)) {
      (ticks, uptime) = from
      rate = to.ticks > from.ticks ? Double(to.uptime &- from.uptime) / Double(to.ticks - from.ticks) : 1
    }
    func time(_ ticks: UInt64) -> UInt64 {
      let span = Double(Int64(bitPattern: ticks &- self.ticks)) * rate
      return UInt64(min(max(0, Double(uptime) + span), Double(RecordingFile.latest)))
    }
  }

  /// Words of a piece's head, at a moment.
  private static func headWords(_ words: Words) -> [UInt64] { (0..<RecordLayout.chunkHeadSize / 8).map { words[$0] } }

  /// One piece of a ring: what one thread wrote after the other.
  private struct Piece {
    let ring, first: UInt64
    /// The threads, each as far as this piece has it.
    var threads: [Thread]
    /// Events in it, those included that only say something about those that follow.
    var count: UInt64 = 0

    init(_ words: Words, _ scale: TimeScale) {
      func word(_ word: RecordLayout.Chunk) -> UInt64 { words[word.rawValue] }
      (ring, first) = (word(.ring), word(.first))
      threads = [Thread(word(.number), who: word(.thread), name: (word(.name0), word(.name1)))]
      var base = word(.base)
      for cell in 0..<RecordLayout.cellsInChunk {
        let place = RecordLayout.chunkHeadSize + cell * RecordLayout.cellSize
        guard let event = EventCell(words: (words.at(place), words.at(place + 8), words.at(place + 16))) else { break }
        count += 1
        let last = threads.count - 1
        switch event.kind {
        case .time: base = event.b | event.c << 48
        case .threadBegan:
          if event.a != threads[last].number { threads.append(Thread(event.a, who: event.b | event.c << 48, name: (0, 0))) }
        case .threadName:
          threads[last].kernelName = Thread.name((event.a | event.b << 48, event.b >> 16 | event.c << 32))
        default:
          threads[last].events.append(
            Event(kind: event.kind, time: scale.time(base &+ event.time), a: event.a, b: event.b, c: event.c))
        }
      }
    }
  }

  /// The threads of one ring, whose events of one piece follow those of the piece before.
  private static func join(_ pieces: [Piece]) -> [Thread] {
    var threads: [Thread] = []
    var expected: UInt64 = 0
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
      expected = piece.first &+ piece.count
    }
    for place in threads.indices { threads[place].putInOrder() }
    return threads
  }

  private mutating func takeNames(_ words: Words, _ scale: TimeScale) {
    var entry = 0
    while entry < RecordLayout.namesInChunk {
      let place = RecordLayout.chunkHeadSize + entry * RecordLayout.nameSize, first = words.at(place)
      entry += 1
      // Nothing, not whole, or the rest of what is not.
      guard let kind = NameKind(rawValue: UInt8(truncatingIfNeeded: first)), kind != .more else { continue }
      let more = Int(first >> 8 & 0xFF), length = Int(first >> 16 & 0xFFFF)
      var bytes = Array(words.bytes(place + RecordLayout.nameText..<place + RecordLayout.nameSize))
      for _ in 0..<more where entry < RecordLayout.namesInChunk {
        let next = RecordLayout.chunkHeadSize + entry * RecordLayout.nameSize
        bytes += words.bytes(next + RecordLayout.moreText..<next + RecordLayout.nameSize)
        entry += 1
      }
      let text = String(decoding: bytes.prefix(length), as: UTF8.self)
      take(kind, words.at(place + 8), scale.time(words.at(place + 16)), words.at(place + 24), text)
    }
  }

  private mutating func take(_ kind: NameKind, _ address: UInt64, _ time: UInt64, _ extra: UInt64, _ text: String) {
    guard kind == .image else {
      return names[address, default: []].append(Name(kind: kind, time: time, extra: extra, text: text))
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let base = UInt64(parts[0], radix: 16), address < extra else { return }
    images.append((address..<extra, base, String(parts[1])))
  }
}
