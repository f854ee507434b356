// Ends.swift: descriptors of a play: pairs of pipes or sockets, never inherited, never blocking, closed by one call each.
import Glibc

/// What is written at one end comes out of the other.
final class Ends: @unchecked Sendable {
  // SAFETY of @unchecked: whoever closes an end has it alone by then.
  private(set) var output: Int32
  private(set) var input: Int32
  let isSocket: Bool
  /// Whether it was closed by the play.
  let outputIsClosed = Tally(), inputIsClosed = Tally()

  init(isSocket: Bool, isBlocking: Bool = false) {
    var ends: [Int32] = [0, 0]
    self.isSocket = isSocket
    let status =
      isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
    precondition(status == 0, "no pipe for a play")
    // Children are made by the play's thread only.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (output, input) = (ends[0], ends[1])
    if !isBlocking { for end in ends { setNonblocking(end) } }
  }

  func setNonblocking(_ end: Int32) { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }

  func closeOutput() {
    guard outputIsClosed.add() == 0 else { return }
    close(output)
  }
  func closeInput() {
    guard inputIsClosed.add() == 0 else { return }
    close(input)
  }

  /// Writes the bytes of the stream from `position` on; how many there was room for, or nil if nobody reads any more.
  static func put(_ descriptor: Int32, _ position: Int, _ count: Int, _ salt: Int) -> Int? {
    let bytes = pattern(position..<position + count, salt)
    while true {
      let written = write(descriptor, bytes, count)
      if written >= 0 { return written }
      if errno == EAGAIN { return 0 }
      if errno != EINTR { return nil }
    }
  }

  /// What is there, at most `count` bytes; nil if there is nothing yet; none at the end.
  static func take(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: max(1, count))
    while true {
      let taken = read(descriptor, &buffer, buffer.count)
      if taken >= 0 { return Array(buffer[..<taken]) }
      if errno == EAGAIN { return nil }
      if errno != EINTR { return [] }
    }
  }

  static func available(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }
}

/// A new file, never inherited.
func makeFile() -> (descriptor: Int32, path: String) {
  var template = Array("/tmp/signalbox-play-XXXXXX".utf8CString)
  let descriptor = mkstemp(&template)
  precondition(descriptor >= 0, "no file for a play")
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  return (descriptor, String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
}
