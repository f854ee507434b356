// LineChanges.swift: a file's changes as whole lines, for people and for the patch.

/// Lines that become other lines.
struct LineChange: Equatable {
  /// Index of the first line, from 0, in the old file.
  var place: Int
  var old: [[UInt8]]
  var new: [[UInt8]]
}

extension FileEdits {
  /// The old file's lines, each with its end.
  var oldLines: [[UInt8]] { Self.lines(source.bytes) }

  static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = [], start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(Array(bytes[start...index]))
      start = index + 1
    }
    if start < bytes.count { lines.append(Array(bytes[start...])) }
    return lines
  }

  /// In order; edits of one line, or of neighbours, are one change.
  var lineChanges: [LineChange] {
    let lines = oldLines
    var starts: [Int] = [0]
    for line in lines { starts.append(starts[starts.count - 1] + line.count) }
    var changes: [LineChange] = [], index = 0
    while index < edits.count {
      let first = Self.line(of: edits[index].range.lowerBound, starts, lines)
      var (last, end) = (first, index)
      while end < edits.count, Self.line(of: edits[end].range.lowerBound, starts, lines) <= last {
        last = max(last, Self.lineAfter(edits[end].range, starts, lines))
        end += 1
      }
      let part = FileEdits(source: source, edits: Array(edits[index..<end])).result(starts[first]..<starts[last])
      changes.append(LineChange(place: first, old: Array(lines[first..<last]), new: Self.lines(part)).trimmed)
      index = end
    }
    return changes
  }

  /// A part of the file with the changes in it.
  private func result(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = [], place = range.lowerBound
    for edit in edits {
      bytes += source.bytes[place..<edit.range.lowerBound] + Array(edit.new.utf8)
      place = edit.range.upperBound
    }
    return bytes + source.bytes[place..<max(place, range.upperBound)]
  }

  private static func line(of place: Int, _ starts: [Int], _ lines: [[UInt8]]) -> Int {
    // At the very end: of a last line without an end, else behind it.
    let index = (starts.firstIndex { $0 > place } ?? starts.count) - 1
    return index == lines.count && index > 0 && lines[index - 1].last != UInt8(ascii: "\n") ? index - 1 : index
  }

  /// The line behind those that a range touches.
  private static func lineAfter(_ range: Range<Int>, _ starts: [Int], _ lines: [[UInt8]]) -> Int {
    let last = range.isEmpty ? range.lowerBound : range.upperBound - 1
    return min(line(of: last, starts, lines) + 1, lines.count)
  }
}

extension LineChange {
  /// Without lines that stay at either end.
  fileprivate var trimmed: LineChange {
    var change = self
    while let old = change.old.first, let new = change.new.first, old == new {
      change.old.removeFirst()
      change.new.removeFirst()
      change.place += 1
    }
    while let old = change.old.last, let new = change.new.last, old == new {
      change.old.removeLast()
      change.new.removeLast()
    }
    return change
  }
}
