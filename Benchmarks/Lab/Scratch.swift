// Scratch.swift: files and pipes for scenarios, and what goes through them. What takes the place of sleeps is Tools.swift.
import SignalboxCNames
import SignalboxSystem

extension Recorder {
  /// Runs `body` with the path of an empty folder; afterwards it is removed, with the files of these names.
  func withFolder(files: [String], _ body: (_ folder: String) throws -> String) -> String {
    provided {
      let folder = try Files.makeFreshFolder("/tmp/signalbox-lab-")
      defer {
        // One that the body has renamed or removed is not there: nothing is left to do.
        for name in files { try? Files.removeFile(folder + RawString("/" + name)) }
        try? Files.removeFolder(folder)
      }
      return try body(String(decoding: folder.bytes, as: UTF8.self))
    }
  }

  /// Runs `body` with a pipe, which it closes.
  func withPipe(_ body: (PipeEnds) throws -> String) -> String { provided { try body(try PipeEnds()) } }

  /// What the system refuses is a demand that was not met.
  func provided(_ body: () throws -> String) -> String {
    do { return try body() } catch {
      expect(false, "what the scenario needs of the system", "\(error)")
      return "not run"
    }
  }

  /// Writes all of `text`, and returns when it is written.
  func write(_ text: String, to descriptor: Int32) {
    let written = Gate()
    dispatch_write(descriptor, bytes(of: text), dispatch_get_global_queue(0, 0)) { rest, error in
      self.expect(rest == nil && error == 0, "\"\(text)\" is written", "error \(error)")
      written.open()
    }
    written.pass()
  }
}

/// The text's UTF-8.
func bytes(of text: String) -> dispatch_data_t { Array(text.utf8).withUnsafeBytes { DispatchData(bytes: $0) } }

/// The text whose UTF-8 this is.
func text(of data: dispatch_data_t) -> String { String(decoding: data, as: UTF8.self) }

/// An array of the same bytes.
func array(of data: dispatch_data_t) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: data.count) { buffer, filled in
    data.copyBytes(to: UnsafeMutableRawBufferPointer(buffer), count: data.count)
    filled = data.count
  }
}

/// What a descriptor has, read as one piece of at most `most` bytes; nil at the end.
func readOnce(_ descriptor: Int32, atMost limit: Int = 4096) -> String? {
  var length = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
    guard let start = buffer.baseAddress else { return }
    if case .moved(let count) = Descriptors.read(descriptor, start, count: limit, offset: nil) { length = count }
    filled = length
  }
  return length == 0 ? nil : String(decoding: bytes, as: UTF8.self)
}
