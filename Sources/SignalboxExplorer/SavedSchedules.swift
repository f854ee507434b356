// SavedSchedules.swift: the tokens of failures that were found before, in a folder of the user's: what is there, what is added, what is
// dropped. When they are replayed is Explorer.swift's.
import SignalboxLaunch
import SignalboxSystem

/// The saved schedules of one program with its arguments: a file of its own, a line for each.
package struct SavedSchedules {
  /// One of them.
  package struct Entry: Equatable {
    package var token: Token
    /// What it showed when it was saved.
    package var failure: String
  }

  /// The newest first.
  private(set) var entries: [Entry]
  /// Of how many lines how many are no saved schedules; what was saved there is lost when the file is next written.
  private let damage: (lines: Int, of: Int)
  private let folder: String
  private let path: RawString
  private let command: String

  /// As many as are kept: more would only take time.
  static let most = 32
  private static let mostBytes = 1 << 20

  /// Reads what is saved for the program `file` with these arguments: the lines that are whole.
  init(in folder: String, program file: RawString, arguments: [RawString], command: String) {
    self.folder = folder
    self.command = command
    let real = (try? Files.realPath(file)) ?? file
    path = RawString("\(folder)/\(Self.name(real, arguments)).tokens")
    (entries, damage) = Self.read(path)
  }

  /// What to report of lines that are not whole; nil if there are none.
  var damageNote: String? {
    damage.lines == 0
      ? nil
      : "\(damage.lines) of \(damage.of) lines of \(path) \(damage.lines == 1 ? "is" : "are") no saved schedule: not replayed"
  }

  private static func read(_ path: RawString) -> (entries: [Entry], damage: (lines: Int, of: Int)) {
    let text = (try? FileBytes(path)).map { String(decoding: $0.read(at: 0, count: mostBytes), as: UTF8.self) } ?? ""
    return entries(in: text)
  }

  /// The schedules in a file's text, and of how many of its lines how many are none. A line that begins with `#` is for
  /// people.
  package static func entries(in text: String) -> (entries: [Entry], damage: (lines: Int, of: Int)) {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let entries = lines.compactMap { line -> Entry? in
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return Token(words[0]).map { Entry(token: $0, failure: words.count > 1 ? words[1] : "failure") }
    }
    return (entries, (lines.count - entries.count, lines.count))
  }

  /// The program's last name, and a number that tells it, its folder and its arguments from others.
  private static func name(_ program: RawString, _ arguments: [RawString]) -> String {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for word in [program] + arguments.dropFirst() {
      for byte in word.bytes + [0] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let last = program.bytes.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let digits = String(sum, radix: 16)
    return last + "-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Puts it in front of the others; what has the same switches goes. Throws if the folder cannot be written.
  mutating func add(_ entry: Entry) throws(SystemError) {
    // Another command may have saved some meanwhile.
    entries = Self.read(path).entries
    entries.removeAll { $0.token.isSame(as: entry.token) }
    entries.insert(entry, at: 0)
    entries.removeLast(max(0, entries.count - Self.most))
    try write()
  }

  /// Takes it out.
  mutating func drop(_ token: Token) throws(SystemError) {
    entries = Self.read(path).entries  // as in add()
    entries.removeAll { $0.token == token }
    try write()
  }

  private func write() throws(SystemError) {
    if entries.isEmpty {
      do throws(SystemError) { try Files.removeFile(path) } catch { guard error.isAbsent else { throw error } }
      return
    }
    try makeFolder()
    let head = "# Schedules that failed, replayed first by: signalbox explore -- \(command)\n"
    // Whole under a name of this command's first: of two that write at the same moment, one's stays.
    let new = path + RawString(".new-\(Threads.mainID)")
    try Files.replace(new, with: head + entries.map { "\($0.token.text) \($0.failure)\n" }.joined())
    try Files.rename(new, to: path)
  }

  private func makeFolder() throws(SystemError) {
    var part = folder.hasPrefix("/") ? "/" : ""
    for name in folder.split(separator: "/") {
      part += (part.isEmpty || part.hasSuffix("/") ? "" : "/") + name
      do throws(SystemError) { try Files.makeFolder(RawString(part)) } catch { guard error.isPresent else { throw error } }
    }
    // What one machine has met is nothing for the others' history, unless the user has chosen the place.
    guard folder == ExploreOptions.usualFolder else { return }
    let ignored = RawString(folder + "/.gitignore")
    if (try? FileStatus(of: ignored)) == nil { try Files.replace(ignored, with: "*\n") }
  }
}

extension Token {
  /// Whether both make the same switches; what was seen on the way may differ.
  package func isSame(as other: Token) -> Bool {
    flags == other.flags
      && decisions.map { [UInt32($0.thread), $0.point, UInt32($0.next)] }
        == other.decisions.map { [UInt32($0.thread), $0.point, UInt32($0.next)] }
  }
}
