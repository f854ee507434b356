// Recorder.swift: what a program says to its recorder: start, stop, and notes of its own. What the engine says is RecordHooks.swift.
import SignalboxSystem
import SignalboxWords

/// Why a recording does not begin, or is not copied.
///
/// ```swift
/// do {
///   try Recorder.start(file: "/nonexistent/run.signalbox")
/// } catch let error as RecorderError {
///   print(error.description)
/// }
/// ```
public enum RecorderError: Error, CustomStringConvertible {
  /// One is under way.
  case isRecording
  /// The file has no room for a beginning.
  case noRoom
  /// The bound is no number of bytes that a recording can have.
  case badLimit
  /// There is none to be copied.
  case isNotRecording

  /// In words that follow "because".
  public var description: String {
    switch self {
    case .isRecording: "a recording is under way"
    case .noRoom: "there is no room for it on the disk, or by the limit of file sizes"
    case .badLimit: "the limit is not from \(Recorder.leastLimit) to \(Recorder.mostLimit) bytes"
    case .isNotRecording: "no recording is under way"
    }
  }
}

/// Writes down what the program's queues, locks and threads do: items submitted and run, waits and their causes, and marks of the program's
/// own. `signalbox summary`, `signalbox view` and `signalbox perfetto` read the file.
///
/// Off, which is how a program begins, it costs nothing. On, each event costs some nanoseconds: no lock is taken and nothing is allocated
/// for it. The file grows with what happens; at its bound each thread's oldest events give way, and a reader learns how many.
///
/// Thread safety: any thread, but no handler of a signal.
///
/// ```swift
/// try Recorder.start(file: "run.signalbox")
/// Recorder.mark("ready")
/// Recorder.stop()  // then: signalbox summary run.signalbox
/// ```
public enum Recorder {
  static let leastLimit = 1 << 20, mostLimit = 1 << 40
  /// The default limit for the size of a file: 1 GiB.
  public static let standardLimit = 1 << 30
  /// The default size of a flight recording: 64 MiB, which holds 2.8 million events.
  public static let flightLimit = 1 << 26

  /// Starts recording into a file.
  ///
  /// ```swift
  /// try Recorder.start(file: "run.signalbox", limit: 64 << 20)
  /// ```
  ///
  /// - Parameters:
  ///   - file: created if it does not exist, with access for this user alone. An existing file is replaced if it is empty or a recording, belongs to
  ///     this user, is not in use, and is not a link, a pipe or a device.
  ///   - limit: the largest size of the file, in bytes.
  /// - Throws: a description of why it does not begin. Nothing is changed then, but a file of that name may have been made.
  public static func start(file: String, limit: Int = Recorder.standardLimit) throws {
    try begin(file, limit, seconds: 0)
  }

  /// Starts a flight recording: a small file that always holds the newest events, from which readers show the last seconds.
  ///
  /// The file can be read or copied at any time. It is also complete after a crash, a kill, or a report that stopped the program. A report
  /// after which the program goes on has a copy of its own, FILE.report-N, where N is the report's number: the first eight reports have one.
  ///
  /// ```swift
  /// try Recorder.startFlight(file: "flight.signalbox", seconds: 30)
  /// ```
  ///
  /// - Parameters:
  ///   - file: as for `start(file:limit:)`.
  ///   - seconds: the number of seconds that readers show, if the file has room for them.
  ///   - limit: as for `start(file:limit:)`.
  /// - Throws: a description of the reason why it cannot start, as `start(file:limit:)` does.
  public static func startFlight(file: String, seconds: Int = 10, limit: Int = Recorder.flightLimit) throws {
    try begin(file, limit, seconds: UInt64(max(1, seconds)))
  }

  private static func begin(_ file: String, _ limit: Int, seconds: UInt64) throws {
    guard (leastLimit...mostLimit).contains(limit) else { throw RecorderError.badLimit }
    guard CurrentRecording.bits == 0 else { throw RecorderError.isRecording }  // before a file is touched
    let recording = try Recording(file: GrowingFile(file, room: limit) { $0 == RecordLayout.magic }, seconds: seconds)
    let bits = Unmanaged.passRetained(recording)
    // acquire-release: the recording is whole for a thread that reads it from the word; pairs with `current`
    guard CurrentRecording.word.casAcqRel(0, UInt64(UInt(bitPattern: bits.toOpaque()))).exchanged else {
      bits.release()
      throw RecorderError.isRecording
    }
    RecordHooks.prepare(recording)
    Instruments.set(Instruments.recorder, mask: Instruments.recorder)
  }

  /// Ends the recording, if there is one; the file is complete, but for what other threads are just writing.
  ///
  /// ```swift
  /// try Recorder.start(file: "run.signalbox")
  /// Recorder.stop()
  /// ```
  public static func stop() {
    // acquire: the recording is whole; pairs with the swap in `start`
    let bits = CurrentRecording.word.exchangeAcqRel(0)
    guard bits != 0 else { return }
    Instruments.set(0, mask: Instruments.recorder)
    // Kept: threads may be writing their last events.
    let recording = Unmanaged<Recording>.at(UInt(bits)).takeUnretainedValue()
    RecordHooks.nameImages(recording)
    recording.end()
  }

  /// Copies the recording under way as it is now: of a flight recording, the last seconds. It goes on meanwhile.
  ///
  /// Takes as long as reading and writing that many bytes. What other threads write meanwhile may be in the copy or not.
  ///
  /// ```swift
  /// try Recorder.startFlight(file: "flight.signalbox")
  /// try Recorder.write(to: "incident.signalbox")  // the last ten seconds
  /// ```
  ///
  /// - Parameter file: as of `start`; not the recording's own.
  /// - Throws: `RecorderError.isNotRecording`, or a description of why it cannot be written.
  public static func write(to file: String) throws {
    guard let recording = CurrentRecording.known, let source = recording.file else { throw RecorderError.isNotRecording }
    try copy(recording, source, file)
  }

  private static func copy(_ recording: Recording, _ source: GrowingFile, _ file: String) throws {
    // The child of a fork might wait for locks that no thread holds any more.
    guard !Instruments.isForkedChild else { throw RecorderError.isNotRecording }
    recording.notePair()
    RecordHooks.nameImages(recording)
    let bytes = try source.bytes()
    try GrowingFile.write(file, mayReplace: { $0 == RecordLayout.magic }) { write in RecordLayout.copy.write(bytes, write) }
  }

  /// Whether a flight recording is under way, of which a copy can be made.
  package static var isFlight: Bool { CurrentRecording.known.map { $0.seconds > 0 && $0.file != nil } ?? false }

  /// Copies the flight recording under way to a file beside it, whose name goes on with `ending`. Returns that name; nil: there is no such
  /// recording, or its file has no name any more.
  package static func writeFlight(ending: String) throws -> String? {
    guard let recording = CurrentRecording.known, recording.seconds > 0, let source = recording.file,
      let name = source.name?.text
    else { return nil }
    let file = name + ending
    try copy(recording, source, file)
    return file
  }

  /// Whether a recording is under way.
  public static var isOn: Bool { Instruments.byte & Instruments.recorder != 0 && CurrentRecording.bits != 0 }

  /// Notes a moment: `name`, and a number that says which request, say.
  ///
  /// ```swift
  /// Recorder.mark("request", 17)
  /// ```
  @inlinable
  public static func mark(_ name: StaticString, _ id: UInt64 = 0) {
    if _slowPath(Instruments.byte & Instruments.recorder != 0) { note(.mark, name, id) }
  }

  /// Runs `body`, and notes when it began and ended.
  ///
  /// ```swift
  /// let sum = Recorder.interval("sum") { (1...1_000).reduce(0, +) }
  /// print(sum)  // 500500
  /// ```
  @inlinable
  public static func interval<Result, Failure: Error>(
    _ name: StaticString, _ id: UInt64 = 0, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard _slowPath(Instruments.byte & Instruments.recorder != 0) else { return try body() }
    note(.intervalBegan, name, id)
    defer { note(.intervalEnded, name, id) }
    return try body()
  }

  @inline(never) @usableFromInline
  static func note(_ kind: EventKind, _ name: StaticString, _ id: UInt64) {
    guard name.hasPointerRepresentation else { return }
    let address = UInt64(UInt(bitPattern: name.utf8Start))
    RecordHooks.name(.note, address) { name.description }
    RecordHooks.write(kind, address, id, id >> 48)
  }
}

/// The recording under way.
enum CurrentRecording {
  /// Unmanaged, kept for the life of the process; 0: none.
  static let word = Atomic64(0)

  /// acquire: pairs with the swap in `Recorder.start`
  @inline(__always) static var bits: UInt64 { word.loadAcquire() }

  /// The recording under way, without asking the environment.
  static var known: Recording? {
    let found = bits
    // SAFETY: a recording lives forever.
    return found == 0 ? nil : Unmanaged<Recording>.at(UInt(found)).takeUnretainedValue()
  }

  /// What the environment asks for begins at the first question. No thread waits for it: one that asks meanwhile has no
  /// recording.
  @inline(never) static func asked() -> Recording? {
    var found = bits
    // relaxed: the thread that swaps is the one; what it makes is read through `word`
    if found == 0, stage.loadRelaxed() == 0, stage.casRelaxed(0, 1).exchanged {
      beginFromEnvironment()
      stage.storeRelaxed(2)  // relaxed: as above
      found = bits
      if found != 0 { Unmanaged<Recording>.at(UInt(found))._withUnsafeGuaranteedRef { $0.lose(missed.load()) } }
    }
    return found == 0 ? nil : Unmanaged<Recording>.at(UInt(found)).takeUnretainedValue()
  }

  /// 0 no thread has asked, 1 the environment is being asked, 2 it was.
  private static let stage = Atomic32(0)
  private static let missed = Relaxed64(0)  // relaxed: a count

  /// An event found no recording: one that is just beginning counts it. relaxed: a count
  static func miss() { if stage.loadRelaxed() == 1 { _ = missed.add(1) } }

  /// The process ends in order.
  private static func endAtExit() {
    let word = Self.bits
    Recorder.stop()
    guard word != 0, !Instruments.isForkedChild,
      let bytes = Unmanaged<Recording>.at(UInt(word)).takeUnretainedValue().bytesWhenFull
    else { return }
    let size = bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    let file =
      Environment.value(Instruments.recordVariable).map { "\(Instruments.recordVariable)=\($0)" } ?? FlightPeriod.variable
    Misuse.report(
      "\(file): there was no room for more than \(size) of the recording, on the disk or by the limit of file sizes: the "
        + "newest events are in it")
  }

  private static func beginFromEnvironment() {
    let seconds = FlightPeriod.fromEnvironment()
    guard !Instruments.isForkedChild,
      let path = Environment.value(Instruments.recordVariable) ?? (seconds > 0 ? FlightPeriod.file : nil)
    else { return Instruments.set(0, mask: Instruments.recorder) }
    let parts = path.pieces(between: "%p")
    let file = parts.joined(separator: "\(Threads.mainID)")
    do {
      if seconds > 0 { try Recorder.startFlight(file: file, seconds: Int(seconds)) } else { try Recorder.start(file: file) }
      Threads.onProcessExit { CurrentRecording.endAtExit() }
    } catch {
      let variable = seconds > 0 ? FlightPeriod.variable : Instruments.recordVariable
      Misuse.report("\(variable)=\(seconds > 0 ? "\(seconds), file \(path)" : path): nothing is recorded, because \(error)")
      if bits == 0 { Instruments.set(0, mask: Instruments.recorder) }
    }
  }
}
