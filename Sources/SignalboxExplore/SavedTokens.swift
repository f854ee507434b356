// SavedTokens.swift: the tokens of schedules under which a test failed, in a folder beside it: tried first the next time.
import SignalboxExplorer
import SignalboxSystem

/// Where a test calls `explore`.
struct TestPlace: Sendable {
  let file: String
  let function: String
  let line: UInt

  var text: String { "\(function), \(file):\(line)" }
}

/// The saved tokens of one test function: a file of its own, a line for each: token, line of the call, what it showed.
///
/// The folder is `.signalbox/explore` beside the test's source. Where it cannot be written nothing is saved: the token stands in the
/// failure as well. `SIGNALBOX_EXPLORE_SAVE=off` switches it off.
struct SavedTokens {
  struct Entry: Equatable {
    var token: Token
    var line: UInt?
    var words: String
  }

  /// Its last two parts are made if they are missing.
  let folder: String
  let path: String
  private let place: TestPlace
  private(set) var entries: [Entry] = []
  private static let most = 32, mostBytes = 1 << 20

  /// Reads what there is; nil where nothing is to be saved.
  init?(_ place: TestPlace) {
    guard Environment.value("SIGNALBOX_EXPLORE_SAVE") != "off", let slash = place.file.lastIndex(of: "/") else { return nil }
    self.place = place
    folder = place.file[..<slash] + "/.signalbox/explore"
    let name = place.file[place.file.index(after: slash)...] + "-" + place.function
    path = folder + "/" + String(name.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }) + ".tokens"
    guard let bytes = try? FileBytes(RawString(path)) else { return }
    let text = String(decoding: bytes.read(at: 0, count: Self.mostBytes), as: UTF8.self)
    entries = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard let token = Token(words[0]) else { return nil }
      return Entry(
        token: token, line: words.count > 1 ? UInt(words[1]) : nil, words: words.count > 2 ? words[2] : words.last ?? "")
    }
  }

  /// Those of this call are tried, and dropped when they show nothing any more; others in the function may be another call's.
  func isOfThisCall(_ entry: Entry) -> Bool { entry.line == nil || entry.line == place.line }

  mutating func add(_ token: Token, _ words: String) {
    entries = entries.filter { $0.token.decisions != token.decisions || !isOfThisCall($0) }
    entries.insert(Entry(token: token, line: place.line, words: words), at: 0)
    entries.removeLast(max(0, entries.count - Self.most))
    write()
  }

  mutating func drop(_ token: Token) {
    entries = entries.filter { $0.token != token || !isOfThisCall($0) }
    write()
  }

  private func write() {
    // A folder that cannot be written is no failure of the test: its message has the token.
    do throws(SystemError) {
      if entries.isEmpty { return try Files.removeFile(RawString(path)) }
      for part in [String(folder[..<folder.lastIndex(of: "/")!]), folder] {
        do throws(SystemError) { try Files.makeFolder(RawString(part)) } catch { guard error.isPresent else { throw error } }
      }
      let text = entries.map { "\($0.token.text) \($0.line ?? place.line) \($0.words)\n" }.joined()
      // Whole under another name first: of two processes at once, one's stays.
      try Files.replace(RawString(path + ".new"), with: text)
      try Files.rename(RawString(path + ".new"), to: RawString(path))
    } catch {}
  }
}
