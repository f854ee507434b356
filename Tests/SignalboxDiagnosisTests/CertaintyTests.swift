// CertaintyTests.swift: the table of what certainty rests on, beside the code: README.md of the diagnosis, "What certainty rests on".
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The grounds of certainty") struct CertaintyTests {
  private let sources = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources"

  /// Each row's ground, the file that says it, and what it rests on.
  private func rows() throws -> [(ground: String, file: String, rest: [String])] {
    let text = try #require(Files.text(RawString("\(sources)/SignalboxDiagnosis/README.md")))
    let lines = text.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0 == "## What certainty rests on" })
    return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }.map { cell in
        String(cell.reversed().drop { $0 == " " }.reversed())
      }
      return (cells[0].filter { $0 != "`" }, cells[1].filter { $0 != "`" }, Array(cells.dropFirst(2)))
    }
  }

  @Test("Every ground has its row, and every row its ground") func grounds() throws {
    let rows = try rows()
    #expect(rows.map(\.ground) == CertaintyBasis.allCases.map(\.rawValue))
    for row in rows {
      #expect(row.rest.count == 3 && row.rest.allSatisfy { $0.count > 2 }, "\(row): the words, who may change them, why not")
      for file in row.file.split(separator: ",") {
        let name = String(file.drop { $0 == " " })
        let text = try #require(Files.text(RawString("\(sources)/\(name)")), "\(name)")
        #expect(text.contains(".\(row.ground)"), "\(name) does not give the ground \(row.ground)")
      }
    }
  }

  @Test("No code says certain without a ground") func places() throws {
    let found = try Programs.output(
      of: "/bin/grep", arguments: ["grep", "-rn", "--include=*.swift", "[.]certain\\b", RawString(sources)], environment: [])
    var files: Set<String> = []
    for line in String(decoding: found.bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2)
      guard parts.count == 3 else { continue }
      let code = parts[2].drop { $0 == " " }
      // Asking whether something is certain, and how far the holder's name in a lock's word is trusted, are other things.
      if code.contains("== .certain") || code.hasPrefix("case .certain") || code.contains("rust") || code.hasPrefix("//") {
        continue
      }
      files.insert(String(parts[0].dropFirst(sources.count + 1)))
    }
    #expect(
      files == ["SignalboxDiagnosis/Report/DeadlockReport.swift", "SignalboxDiagnosis/Stalls/StallFinding.swift"], "\(files)")
  }
}
