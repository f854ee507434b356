// SaidFile.swift: a file for what a process of the tests says, gone with the object.
import Glibc

/// A fresh file in the folder for temporary ones.
final class SaidFile: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/signalbox-said-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    precondition(number >= 0, "no file for a test")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    close(number)
  }

  deinit { unlink(path) }

  /// All that is in it; nil if it cannot be read.
  var text: String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { text += buffer[..<count] }
    return String(decoding: text, as: UTF8.self)
  }
}
