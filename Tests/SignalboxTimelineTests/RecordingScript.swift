// RecordingScript.swift: recordings that are written by hand, and what a summary says of them.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

/// A recording that is written by hand, with times in microseconds since its first event.
final class RecordingScript {
  /// Addresses of queues: the class that serves them, and whether they are serial.
  static let main: UInt64 = 0x1000, urgent: UInt64 = 0x2000, low: UInt64 = 0x3000, serial: UInt64 = 0x4000,
    lock: UInt64 = 0x5000

  let room = RecordingRoom(chunks: 8)
  /// The counter at the first event: later than what is written before.
  private let start: UInt64
  private var rings: [Ring] = []

  init(workers: Int) throws {
    start = room.recording.machine.ticks() + 1_000_000_000
    for place in 0...workers {
      let isMain = place == 0
      let who = UInt64(7 + place) | UInt64(40 + place) << 32 | (isMain ? RecordLayout.isMain : RecordLayout.isWorker)
      rings.append(try #require(Ring(room.recording, who: who)))
    }
    name(Self.main, kind: 3, serviceClass: 3, "main")
    name(Self.urgent, kind: 2, serviceClass: 5, "urgent")
    name(Self.low, kind: 2, serviceClass: 1, "low")
    name(Self.serial, kind: 0, serviceClass: 3, "accounts")
    room.recording.name(.object, Self.lock, "mutex \"ledger\"")
    event(0, 0, .mark)
  }

  func name(_ address: UInt64, kind: UInt64, serviceClass: UInt64, _ label: String) {
    room.recording.name(.queue, address, extra: kind | serviceClass << 8, label)
  }

  func event(_ thread: Int, _ time: UInt64, _ kind: EventKind, _ a: UInt64 = 0, _ b: UInt64 = 0, _ c: UInt64 = 0) {
    rings[thread].write(kind, start + time * 1_000, a, b, c)
  }

  /// An item of the queue that is submitted by the main thread, and run by `thread` from `began` to `ended`.
  func item(
    _ item: UInt64, of queue: UInt64, submitted: UInt64, on thread: Int, _ began: UInt64, _ ended: UInt64,
    ownClass: UInt64 = 0
  ) {
    event(0, submitted, .submitted, queue | ownClass, item)
    event(thread, began, .started, queue, item)
    event(thread, ended, .ended)
  }

  /// What a reader gets, for whom the processor counts nanoseconds.
  func read() throws -> RecordingFile {
    for word in [RecordLayout.Head.ticks0, .ticks1] { room.recording.cell(word).pointee.storeRelease(0) }
    return try room.read()
  }
  func tables() throws -> [String: SummaryTable] {
    let counts = SummaryCounts(try read())
    return Dictionary(uniqueKeysWithValues: SummaryTables(counts).all.map { ($0.key, $0) })
  }
  func names() throws -> TimelineNames { TimelineNames(try read()) }
  func summary() throws -> RecordingSummary { RecordingSummary(try read()) }
}

/// A row's cells as a program gets them, by their names.
func rows(_ table: SummaryTable?) -> [[String: String]] {
  guard let table, case .array(let rows) = table.json else { return [] }
  return rows.map { row in
    guard case .object(let members) = row else { return [:] }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.text) })
  }
}
