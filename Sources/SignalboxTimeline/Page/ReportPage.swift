// ReportPage.swift: reports of deadlocks, stalls and misuse, as SIGNALBOX_DEADLOCK_JSON collects them, as one page of
// HTML: what waits for what as a picture. The page of a recording is TimelinePage.swift.
import SignalboxCommandLine
import SignalboxSystem

/// Reports, each of which is one JSON object.
public struct ReportPage {
  /// Each as CheckedReport has it.
  let reports: [JSON]
  /// How many lines the file has that hold something, and how many of them are no whole report.
  private let lines: Int, damaged: Int

  /// No file of reports is larger.
  private static let limit = 64 << 20

  /// How many reports there are.
  public var count: Int { reports.count }

  /// What is missing, in words; nil if all reports are whole.
  public var damage: String? { damaged == 0 ? nil : "\(damaged) of \(lines) reports \(damaged == 1 ? "is" : "are") not whole" }

  /// Reads a file in which each line is a report. Of lines that are not whole, what makes sense is taken.
  ///
  /// - Throws: that nothing in the file is a report.
  public init(_ path: String) throws(UnreadableRecording) {
    let kind = try RecordingFile.system { () throws(SystemError) in try FileStatus(of: RawString(path)).kind }
    guard kind == .regular else { throw UnreadableRecording(description: "is no regular file") }
    let file = try RecordingFile.system { () throws(SystemError) in try FileBytes(RawString(path)) }
    try self.init(bytes: file.read(at: 0, count: Self.limit))
  }

  init(text: String) throws(UnreadableRecording) { try self.init(bytes: Array(text.utf8)) }

  init(bytes: [UInt8]) throws(UnreadableRecording) {
    // A line each, or one alone that was laid out for people.
    let found = Self.report(bytes[...]).map { [$0] } ?? Self.lines(bytes).map(Self.report)
    reports = found.compactMap { $0?.json }
    (lines, damaged) = (found.count, found.count { $0?.isWhole != true })
    guard !reports.isEmpty else { throw UnreadableRecording(description: "is neither a recording nor a file of reports") }
  }

  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split { $0 == UInt8(ascii: "\n") }.filter { line in line.contains { $0 > 32 } }
  }

  /// nil: the bytes are no report. A text that is none of UTF-8 is not whole.
  private static func report(_ bytes: ArraySlice<UInt8>) -> (json: JSON, isWhole: Bool)? {
    let text = String(validating: bytes, as: UTF8.self)
    guard let report = JSON(text ?? String(decoding: bytes, as: UTF8.self)).flatMap({ CheckedReport($0) }) else { return nil }
    return (report.json, report.isWhole && text != nil)
  }

  /// Calls `write` with the bytes of the page, piece by piece; that says whether there is use in going on.
  public func write(_ write: @escaping ([UInt8]) -> Bool) {
    PageTemplate(PackageResources.report_html).write(write) { word in
      switch word {
      case "head": PageTemplate.writeHead(title: "Signalbox report", write)
      case "damage": if let damage { _ = write(Array("  <p>\(damage)</p>\n".utf8)) }
      case "reports": _ = write(PageTemplate.data(.array(reports)))
      default:
        _ = write(PackageResources.words_js)
        _ = write(PackageResources.report_js)
      }
    }
  }
}
