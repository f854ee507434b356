// FileScan.swift: one file, window by window, each ending between two words, so that a file of any size needs little memory.
// What is done with a window is WordScan.swift.
import Glibc

// SAFETY: one thread at a time: whoever counts a file asks for its next window only after it is done with the last,
// from an item submitted by then; the submission orders the two.
final class FileScan: @unchecked Sendable {
  static let windowSize = 1 << 20

  private let path: Path
  private let descriptor: CInt
  private var buffer: UnsafeMutableBufferPointer<UInt8>
  private var filled = 0
  /// How much of what is filled was the last window; the rest begins the next one.
  private var givenOut = 0
  private var atEnd = false

  /// - Returns: nil if this is no regular file (any more).
  init?(_ path: Path) throws(ReadFailure) {
    // Without O_NONBLOCK the open of a pipe that took the file's name since the walk would wait for its writer.
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard descriptor >= 0 else { throw ReadFailure(action: .openFile, path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.path = path
    self.descriptor = descriptor
    // One byte more than the file has: the read that does not fill the buffer sees the end at once.
    buffer = .allocate(capacity: min(max(Int(status.st_size) + 1, 4096), Self.windowSize))
  }

  deinit {
    buffer.deallocate()
    close(descriptor)
  }

  /// The next stretch of whole words, valid and free to be changed until the next call; nil after the last.
  func nextWindow() throws(ReadFailure) -> UnsafeMutableBufferPointer<UInt8>? {
    dropGivenOut()
    while !atEnd {
      if filled == buffer.count { growForLongWord() }
      try fill()
      if let boundary = lastWordBoundary() {
        givenOut = boundary
        return UnsafeMutableBufferPointer(rebasing: buffer[..<boundary])
      }
    }
    givenOut = filled
    return filled == 0 ? nil : UnsafeMutableBufferPointer(rebasing: buffer[..<filled])
  }

  private func dropGivenOut() {
    filled -= givenOut
    memmove(buffer.baseAddress!, buffer.baseAddress! + givenOut, filled)
    givenOut = 0
  }

  /// Called with a buffer that holds nothing but the beginning of one word.
  private func growForLongWord() {
    let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: buffer.count * 2)
    memcpy(larger.baseAddress!, buffer.baseAddress!, filled)
    buffer.deallocate()
    buffer = larger
  }

  /// Reads until the buffer is full or the file at its end.
  private func fill() throws(ReadFailure) {
    while filled < buffer.count {
      let count = read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
      if count > 0 {
        filled += count
      } else if count == 0 {
        return atEnd = true
      } else if errno != EINTR {
        throw ReadFailure(action: .readFile, path: path, code: errno)
      }
    }
  }

  /// Where the last word that may go on in the file begins; nil if that is the start, or if no word can go on.
  private func lastWordBoundary() -> Int? {
    if atEnd { return nil }
    return buffer[..<filled].lastIndex { !isWordByte($0) }.map { $0 + 1 }
  }
}
