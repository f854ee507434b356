// Report.swift: a summary as text or as JSON, the same bytes for the same tree.

/// Words longer than this are cut in the report; a tree may hold binary files.
private let longestShown = 60

extension RankedWord {
  fileprivate var shown: String {
    word.count <= longestShown ? printable(word) : printable(word.prefix(longestShown)) + "... (\(word.count) bytes)"
  }
}

extension Summary {
  var text: String {
    let checksum = String(vocabulary.checksum, radix: 16)
    var lines = [
      "files       \(files)", "bytes       \(bytes)", "words       \(words)", "distinct    \(vocabulary.distinct)",
      "unreadable  \(unreadable)", "checksum    \(checksum)",
    ]
    let widest = vocabulary.top.first.map { String($0.count).count } ?? 0
    lines += vocabulary.top.map { ranked in
      let count = String(ranked.count)
      return String(repeating: " ", count: widest - count.count) + count + "  " + ranked.shown
    }
    return lines.joined(separator: "\n") + "\n"
  }

  var json: String {
    let top = vocabulary.top.map { "{\"word\":\(quoted($0.shown)),\"count\":\($0.count)}" }.joined(separator: ",")
    return "{\"files\":\(files),\"bytes\":\(bytes),\"words\":\(words),\"distinct\":\(vocabulary.distinct),"
      + "\"unreadable\":\(unreadable),\"checksum\":\"\(String(vocabulary.checksum, radix: 16))\",\"top\":[\(top)]}\n"
  }

  /// A word is printable already: nothing but the backslash of an escaped byte needs care.
  private func quoted(_ text: String) -> String {
    "\"" + text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\") + "\""
  }
}
