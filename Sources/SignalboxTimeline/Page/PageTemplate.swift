// PageTemplate.swift: a page's frame, a file of HTML in which `{{word}}` stands for a part that is filled in, and how what others named
// gets into it without becoming a part of the page.
import SignalboxCommandLine

struct PageTemplate {
  /// A function by which a page is written, piece by piece.
  typealias Writer = ([UInt8]) -> Bool

  /// Fixed text, and the word that stands behind it; the last has none.
  private(set) var parts: [(text: [UInt8], word: String)] = []

  init(_ html: [UInt8]) {
    var rest = html[...], open = html.startIndex
    while open < rest.endIndex {
      guard rest[open...].starts(with: Self.begin), let close = Self.close(rest[open...]) else {
        open += 1
        continue
      }
      parts.append(
        (Array(rest[rest.startIndex..<open]), String(decoding: rest[open + Self.begin.count..<close], as: UTF8.self)))
      rest = rest[(close + Self.end.count)...]
      open = rest.startIndex
    }
    parts.append((Array(rest), ""))
  }

  private static let begin = Array("{{".utf8), end = Array("}}".utf8)

  private static func close(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: end) }
  }

  /// Writes the page; `fill` writes what stands for a word.
  func write(_ write: Writer, fill: (String) -> Void) {
    for part in parts {
      _ = write(part.text)
      if !part.word.isEmpty { fill(part.word) }
    }
  }

  /// What both pages begin with: no address but their own is allowed to them.
  static func writeHead(title: String, _ write: Writer) {
    PageTemplate(PackageResources.head_html).write(write) { word in
      _ = write(word == "title" ? Array(title.utf8) : PackageResources.page_css)
    }
  }

  /// JSON as it may stand inside of a `script`: nothing in it ends that, or opens a comment.
  static func data(_ json: JSON) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in json.text.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return bytes
  }
}
