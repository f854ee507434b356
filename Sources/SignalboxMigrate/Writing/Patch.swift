// Patch.swift: what was done, as a unified diff with a fingerprint of each file before and after. `--undo` reads it; so does `patch -R`.

/// What a move did to the files.
struct Patch: Equatable {
  /// One file's part.
  struct File: Equatable {
    var path: String
    /// Fingerprints; an empty one for a file that was not there.
    var before: String
    var after: String
    var hunks: [Hunk]
  }

  /// Lines that became others. Places count from 0.
  struct Hunk: Equatable {
    var oldPlace: Int
    var newPlace: Int
    var old: [[UInt8]]
    var new: [[UInt8]]
  }

  static let name = "signalbox-migrate.patch"
  private static let title = "# Written by `signalbox migrate --write`; `signalbox migrate --undo` takes it back."
  private static let missingEnd = "\\ No newline at end of file"

  var files: [File]

  init(_ plan: Plan) {
    files = plan.files.map { file in
      var shift = 0
      let hunks = file.lineChanges.map { change in
        defer { shift += change.new.count - change.old.count }
        return Hunk(oldPlace: change.place, newPlace: change.place + shift, old: change.old, new: change.new)
      }
      return File(
        path: file.source.path, before: Self.fingerprint(file.source.bytes), after: Self.fingerprint(file.result), hunks: hunks)
    }
    files += plan.new.map { file in
      let bytes = Array(file.text.utf8)
      return File(
        path: file.path, before: "", after: Self.fingerprint(bytes),
        hunks: [Hunk(oldPlace: 0, newPlace: 0, old: [], new: FileEdits.lines(bytes))])
    }
  }

  /// FNV-1a in 64 bits, in hexadecimal digits.
  static func fingerprint(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  var bytes: [UInt8] {
    var text = Array((Self.title + "\n").utf8)
    func add(_ line: String) { text += Array((line + "\n").utf8) }
    for file in files {
      add("# \(file.before.isEmpty ? "-" : file.before) \(file.after) \(file.path)")
      // A tab ends a name with spaces in it.
      let end = file.path.contains(" ") ? "\t" : ""
      add(file.before.isEmpty ? "--- /dev/null" : "--- a/\(file.path)\(end)")
      add("+++ b/\(file.path)\(end)")
      for hunk in file.hunks {
        add("@@ -\(Self.range(hunk.oldPlace, hunk.old.count)) +\(Self.range(hunk.newPlace, hunk.new.count)) @@")
        for (sign, lines) in [("-", hunk.old), ("+", hunk.new)] {
          for line in lines {
            text += Array(sign.utf8) + line
            if line.last != UInt8(ascii: "\n") { add("\n" + Self.missingEnd) }
          }
        }
      }
    }
    return text
  }

  /// An empty range is named by the line in front of it.
  private static func range(_ place: Int, _ count: Int) -> String { "\(count == 0 ? place : place + 1),\(count)" }

  /// Reads a patch that was written here; nil if it is none.
  init?(_ bytes: [UInt8]) {
    var lines = FileEdits.lines(bytes)[...]
    guard let first = lines.popFirst(), first == Array((Self.title + "\n").utf8) else { return nil }
    files = []
    while let line = lines.popFirst() {
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      if text.hasPrefix("# ") {
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4 else { return nil }
        files.append(File(path: words[3], before: words[1] == "-" ? "" : words[1], after: words[2], hunks: []))
      } else if text.hasPrefix("@@ ") {
        guard !files.isEmpty, let hunk = Self.hunk(text, &lines) else { return nil }
        files[files.count - 1].hunks.append(hunk)
      } else if !text.hasPrefix("--- ") && !text.hasPrefix("+++ ") {
        return nil
      }
    }
  }

  private static func hunk(_ title: String, _ lines: inout ArraySlice<[UInt8]>) -> Hunk? {
    let words = title.split(separator: " ")
    guard words.count == 4 else { return nil }
    let ranges = words[1...2].map { word in word.dropFirst().split(separator: ",").compactMap { Int($0) } }
    guard ranges.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0 >= 0 } }) else { return nil }
    func place(_ range: [Int]) -> Int { range[1] == 0 ? range[0] : range[0] - 1 }
    var hunk = Hunk(oldPlace: place(ranges[0]), newPlace: place(ranges[1]), old: [], new: [])
    func take(_ sign: Character, _ count: Int) -> [[UInt8]]? {
      var taken: [[UInt8]] = []
      for _ in 0..<count {
        guard let line = lines.popFirst(), line.first == sign.asciiValue else { return nil }
        taken.append(Array(line.dropFirst()))
        if let next = lines.first, next == Array((missingEnd + "\n").utf8) {
          lines.removeFirst()
          taken[taken.count - 1].removeLast()
        }
      }
      return taken
    }
    guard let old = take("-", ranges[0][1]), let new = take("+", ranges[1][1]) else { return nil }
    (hunk.old, hunk.new) = (old, new)
    return hunk
  }
}

extension Patch.File {
  /// The contents as they were before; nil if `bytes` are not what the patch left.
  func undone(_ bytes: [UInt8]) -> [UInt8]? {
    guard Patch.fingerprint(bytes) == after else { return nil }
    var lines = FileEdits.lines(bytes)
    for hunk in hunks.reversed() {
      let range = hunk.newPlace..<hunk.newPlace + hunk.new.count
      guard range.upperBound <= lines.count, Array(lines[range]) == hunk.new else { return nil }
      lines.replaceSubrange(range, with: hunk.old)
    }
    let result = Array(lines.joined())
    return Patch.fingerprint(result) == before ? result : nil
  }
}
