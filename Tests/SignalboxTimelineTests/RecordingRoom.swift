// RecordingRoom.swift: a recording in plain memory, to be written by tests and read as a file is.
import SignalboxSystem

@testable import SignalboxRecorder
@testable import SignalboxTimeline
import SignalboxWords

/// The machine of recordings that tests write: each writes the same bytes, wherever and whenever it is.
private final class FixedMachine: Sendable {
  private let readings = Relaxed64(0)  // relaxed: one thread writes a recording
  /// A microsecond passes with each reading of a clock, in which the counter counts 2,500.
  private func microseconds() -> UInt64 { readings.add(1) }
  var machine: RecordedMachine {
    RecordedMachine(
      ticks: { 5_000_000_000_000 + self.microseconds() * 2_500 }, uptime: { 2_000_000_000_000 + self.microseconds() * 1_000 },
      wall: { 1_700_000_000_000_000_000 }, process: 7, threadName: { (0x7265_7469_7277, 0) })
  }
}

extension Ring {
  /// The counter of the recording's machine.
  func ticks() -> UInt64 { recording._withUnsafeGuaranteedRef { $0.machine.ticks() } }
}

extension Recording {
  /// The name counts from now on.
  func name(_ kind: NameKind, _ address: UInt64, extra: UInt64 = 0, _ text: String) {
    name(kind, address, extra: extra, text, since: machine.ticks())
  }
}

/// A recording of this many pieces, and what a reader finds in it.
struct RecordingRoom {
  /// What its threads are called.
  static let threadName = "writer"
  let size: Int
  let start: UnsafeMutableRawPointer
  let recording: Recording
  init(chunks: Int, grown: Int = .max, seconds: UInt64 = 0, machine: RecordedMachine? = nil) {
    size = RecordLayout.headSize + chunks * RecordLayout.chunkSize
    start = .allocate(byteCount: size, alignment: 4096)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let end = grown == .max ? Int.max : RecordLayout.headSize + grown * RecordLayout.chunkSize
    recording = Recording(at: start, chunks: chunks, seconds: seconds, machine: machine ?? FixedMachine().machine) {
      offset, count in offset + count <= end
    }
  }
  func read() throws -> RecordingFile {
    let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    let file = folder + "/memory"
    defer {
      try? Files.removeFile(RawString(file))
      try? Files.removeFolder(RawString(folder))
    }
    try PrivateFile.replace(file) { write in
      _ = write(Array(UnsafeRawBufferPointer(start: start, count: size)))
    }
    return try RecordingFile(file)
  }
}

// Numbers that were read, beside those that a test has written.
func == (read: ReadNumber, written: UInt64) -> Bool { read.bits == written }
func != (read: ReadNumber, written: UInt64) -> Bool { read.bits != written }
func == (read: ReadNumber?, written: UInt64) -> Bool { read?.bits == written }
