// IOPath.swift: an absolute path, and how its file is to be opened.
import SignalboxSystem

struct IOPath: Sendable {
  let name: RawString
  /// open(2)'s, as the user gave them.
  let flags: Int32
  let mode: mode_t

  /// nil unless the path is absolute.
  init?(_ path: UnsafePointer<CChar>, flags: Int32, mode: mode_t) {
    let name = RawString(cString: path)
    guard name.bytes.first == UInt8(ascii: "/") else { return nil }
    (self.name, self.flags, self.mode) = (name, flags, mode)
  }
}
