// RecordingFile.swift: a recording as it lies in its file, read into threads with their events, and names. What one
// piece of it holds is RecordingPiece.swift; what the events mean together Replay.swift; the file's form is described
// in SignalboxRecorder.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

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
    public internal(set) var time: ReadNumber
    /// What it speaks of: see `EventKind`.
    public let a, b, c: ReadNumber

    /// A number of 64 bits: `b`, and in `c` what does not fit there.
    var number: ReadNumber { b | c << 48 }
  }

  /// What one thread wrote.
  public struct Thread: Sendable {
    /// Its number in the recording.
    public let number: ReadNumber
    /// How locks and queues name it.
    public let owner: ReadNumber
    /// The kernel's number.
    public let id: Int32
    /// Whether it is the process's first, or one of the pool's.
    public let isMain, isWorker: Bool
    /// The kernel's name of it.
    public internal(set) var kernelName: String
    /// Its events, in order.
    public internal(set) var events: [Event] = []
    /// How many events are missing before the event of that place.
    public internal(set) var gaps: [(place: Int, count: ReadNumber)] = []

    /// What people call it.
    public var name: String { isMain ? "main thread" : isWorker ? "worker" : kernelName.isEmpty ? "thread" : kernelName }

    init(_ number: ReadNumber, who: ReadNumber, name: (ReadNumber, ReadNumber)) {
      (self.number, owner, id) = (number, who & ReadNumber(RecordLayout.ownerMask), (who >> 32).lowest(Int32.self))
      (isMain, isWorker) = (who.bits & RecordLayout.isMain != 0, who.bits & RecordLayout.isWorker != 0)
      kernelName = Self.name(name)
    }

    static func name(_ words: (ReadNumber, ReadNumber)) -> String {
      let bytes = [words.0, words.1].flatMap { word in (0..<8).map { (word >> ($0 * 8)).lowest(UInt8.self) } }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Takes away what is older, and the gaps in it.
    fileprivate mutating func drop(before time: ReadNumber) {
      let count = events.firstIndex { $0.time >= time } ?? events.count
      guard count > 0 else { return }
      events.removeFirst(count)
      gaps = gaps.filter { $0.place > count }.map { ($0.place - count, $0.count) }
    }

    /// No event is earlier than the one before it, whatever the processors count on which the thread ran.
    mutating func putInOrder() {
      var last: ReadNumber = 0
      for place in events.indices {
        if events[place].time < last { events[place].time = last }
        last = events[place].time
      }
    }
  }

  /// The name of an address, from a time on.
  struct Name: Sendable {
    let kind: NameKind
    let time: ReadNumber
    let extra: ReadNumber
    let text: String
  }

  /// The recorded process.
  public let process: Int32
  /// Whether the recording was stopped in order.
  public let isComplete: Bool
  /// Of a flight recording: of how many seconds before the last event the events are here; 0: all.
  public let seconds: ReadNumber
  /// When it began, on the uptime and the wall clock.
  public let start, wall: ReadNumber
  /// What could not be written down: events of threads without a ring, and names.
  public let lostEvents, lostNames: ReadNumber
  /// Whether the file got less room than it asked for: the disk is full, or files may not be longer.
  public let lacksRoom: Bool
  /// What of the file is missing or damaged.
  public private(set) var damage: RecordingDamage
  /// The threads, by their numbers.
  public private(set) var threads: [Thread] = []
  private(set) var names: [ReadNumber: [Name]] = [:]
  /// Parts of files with functions.
  private(set) var images: [(range: Range<ReadNumber>, base: ReadNumber, path: String)] = []

  /// How it is copied while it is written.
  public static let layout = RecordLayout.copy

  /// Whether a regular file begins as recordings do.
  public static func isRecording(_ path: String) throws(UnreadableRecording) -> Bool {
    guard try system({ () throws(SystemError) in try FileStatus(of: RawString(path)) }).kind == .regular else { return false }
    let file = try system { () throws(SystemError) in try FileBytes(RawString(path)) }
    return RecordingWords(file.read(at: 0, count: 8))[.magic].bits == RecordLayout.magic
  }

  /// Reads a file.
  public init(_ path: String) throws(UnreadableRecording) {
    let status = try Self.system { () throws(SystemError) in try FileStatus(of: RawString(path)) }
    guard status.kind == .regular else { throw UnreadableRecording(description: "is no regular file") }
    let file = try Self.system { () throws(SystemError) in try FileBytes(RawString(path)) }
    let head = RecordingWords(file.read(at: 0, count: RecordLayout.headSize))
    try Self.check(head)
    process = head[.process].lowest(Int32.self)
    isComplete = head[.state] == 2
    seconds = head[.seconds]
    (start, wall) = (min(head[.startUptime], RecordingScale.latest), head[.startWall])
    (lostEvents, lostNames, lacksRoom) = (head[.lostEvents], head[.lostNames], head[.refusals] > 0)
    let late = head[.pair] & 1 == 0 ? (head[.ticks0], head[.uptime0]) : (head[.ticks1], head[.uptime1])
    let scale = RecordingScale(from: (head[.startTicks], start), to: late)
    let piece = ReadNumber(count: RecordLayout.chunkSize),
      behind = ReadNumber(file.size) - ReadNumber(count: RecordLayout.headSize)
    // Before `grown` was counted, only the head of a recording that was stopped says how many pieces there are.
    let grown = head[.grown] > 0 ? head[.grown] : isComplete ? head[.chunksTaken] - head[.refusals] : 0
    damage = RecordingDamage(wanted: grown, bytes: behind, piece: piece)
    // A damaged head may say anything; what lies behind the file's end is not there.
    let count = min(max(head[.chunksTaken], grown), (behind + piece - 1) / piece)
    var pieces: [ReadNumber: [RecordingPiece]] = [:]
    for number in 0..<count.int(upTo: .max) {
      if let piece = readPiece(number, file, scale) { pieces[piece.ring, default: []].append(piece) }
    }
    threads = pieces.values.flatMap(RecordingPiece.join).sorted { $0.number < $1.number }
    for address in names.keys { names[address]?.sort { $0.time < $1.time } }
    if seconds > 0 { keepLastSeconds() }
  }

  private static func check(_ head: RecordingWords) throws(UnreadableRecording) {
    guard head[.magic].bits == RecordLayout.magic else { throw UnreadableRecording(description: "is no recording") }
    guard head.bytes.count == RecordLayout.headSize else {
      throw UnreadableRecording(
        description: "is cut off: it has \(head.bytes.count) bytes, and a recording's head alone has \(RecordLayout.headSize)")
    }
    let version = head[.version] & 0xFFFF_FFFF
    guard (RecordLayout.oldestVersion...RecordLayout.version).contains(version.bits),
      head[.version] >> 32 == ReadNumber(count: RecordLayout.chunkSize)
    else {
      throw UnreadableRecording(
        description: "is a recording of another version of Signalbox: its layout is \(version), and those from "
          + "\(RecordLayout.oldestVersion) to \(RecordLayout.version) can be read")
    }
  }

  /// The piece of that number if it is one of a ring; the names of one that holds names are taken.
  private mutating func readPiece(_ number: Int, _ file: FileBytes, _ scale: RecordingScale) -> RecordingPiece? {
    let place = UInt64(RecordLayout.headSize + number * RecordLayout.chunkSize)
    let words = RecordingWords(file.read(at: place, count: RecordLayout.chunkSize))
    let isAllThere = words.bytes.count == RecordLayout.chunkSize
    switch words[.kind].bits {
    case RecordLayout.events:
      let piece = RecordingPiece(words, scale, isOver: isComplete)
      // What was given to other events while it was read, as the program runs still, is lost like what was given
      // before.
      guard RecordingWords(file.read(at: place, count: RecordLayout.chunkHeadSize)).head == words.head else { return nil }
      if isAllThere, !piece.isWhole { damage.breaks() }
      return piece
    case RecordLayout.names:
      let names = RecordedNames(words, scale)
      if isAllThere, !names.isWhole { damage.breaks() }
      for (address, name) in names.all { self.names[address, default: []].append(name) }
      images += names.images
    case 0: break
    default: if isAllThere { damage.breaks() }
    }
    return nil
  }

  private mutating func keepLastSeconds() {
    let first = end - seconds * 1_000_000_000
    for place in threads.indices { threads[place].drop(before: first) }
  }

  /// The name of `address` at `time`.
  func name(_ address: ReadNumber, at time: ReadNumber) -> Name? {
    guard let all = names[address] else { return nil }
    return all.last { $0.time <= time } ?? all.first
  }

  /// Which of the address's names it has at `time`: two times with one answer have one name.
  func generation(_ address: ReadNumber, at time: ReadNumber) -> Int {
    guard let all = names[address], all.count > 1 else { return 0 }
    return all.lastIndex { $0.time <= time } ?? 0
  }

  /// Chains of awaits, as text, by the numbers that name them.
  var chains: [ReadNumber: String] {
    names.compactMapValues { $0.first.flatMap { $0.kind == .chain ? $0.text : nil } }
  }

  /// When the first event was.
  var firstEvent: ReadNumber { threads.compactMap { $0.events.first?.time }.min() ?? start }
  /// When the last event was.
  var end: ReadNumber { threads.compactMap { $0.events.last?.time }.max() ?? start }

  /// The file that holds the function at `address`, and how far behind the image's beginning it lies.
  func place(_ address: ReadNumber) -> (path: String, offset: ReadNumber)? {
    images.first { $0.range.contains(address) }.map { ($0.path, address.distance(from: $0.base)) }
  }

  // MARK: reading

  static func system<R>(_ body: () throws(SystemError) -> R) throws(UnreadableRecording) -> R {
    do throws(SystemError) { return try body() } catch {
      throw UnreadableRecording(description: "cannot be read: \(error.words)")
    }
  }
}

/// What a file lacks of what it says to have, in pieces of the file (`RecordLayout.chunkSize`).
public struct RecordingDamage: Sendable, Equatable {
  /// Pieces that the file should have.
  public fileprivate(set) var all: ReadNumber = 0
  /// Pieces that lie behind the file's end.
  public fileprivate(set) var missing: ReadNumber = 0
  /// Pieces of which only a beginning is there, or that hold words that no recording program writes.
  public fileprivate(set) var broken: ReadNumber = 0

  init() {}

  /// - Parameters:
  ///   - wanted: how many pieces the file should have, by its head; 0: not known.
  ///   - bytes: how many bytes of the file lie behind its head.
  ///   - piece: bytes of a piece.
  init(wanted: ReadNumber, bytes: ReadNumber, piece: ReadNumber) {
    let whole = bytes / piece, isCut = wanted > whole && bytes % piece != 0
    all = max(wanted, whole)
    (missing, broken) = (wanted - whole - (isCut ? 1 : 0), isCut ? 1 : 0)
  }

  /// One more piece is not as a program writes it.
  mutating func breaks() { broken += 1 }

  /// Whether all is there, as far as a reader can tell.
  public var isNone: Bool { missing == 0 && broken == 0 }

  /// In words that follow the file's name; nil if nothing is damaged.
  public var words: String? {
    if isNone { return nil }
    func are(_ number: ReadNumber) -> String { "\(number) \(number == 1 ? "is" : "are")" }
    let parts = (missing > 0 ? ["\(are(missing)) missing"] : []) + (broken > 0 ? ["\(are(broken)) damaged"] : [])
    return "is cut off or damaged: of its \(all) pieces \(parts.joined(separator: " and ")); what is whole of it is shown"
  }
}
