// RecordingRoom.swift: a recording in plain memory, to be written by tests and read as a file is.
import SignalboxSystem

@testable import SignalboxRecorder
@testable import SignalboxTimeline

/// A recording of this many pieces, and what a reader finds in it.
struct RecordingRoom {
  let size: Int
  let start: UnsafeMutableRawPointer
  let recording: Recording
  init(chunks: Int, grown: Int = .max, seconds: UInt64 = 0) {
    size = RecordLayout.headSize + chunks * RecordLayout.chunkSize
    start = .allocate(byteCount: size, alignment: 4096)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let end = grown == .max ? Int.max : RecordLayout.headSize + grown * RecordLayout.chunkSize
    recording = Recording(at: start, chunks: chunks, seconds: seconds) { offset, count in offset + count <= end }
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
