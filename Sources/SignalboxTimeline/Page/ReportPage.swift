// ReportPage.swift: reports of deadlocks, stalls and misuse, as SIGNALBOX_DEADLOCK_JSON collects them, as one page of HTML: who waits for
// whom as a picture. The page of a recording is TimelinePage.swift.
import SignalboxCommandLine
import SignalboxSystem

/// Reports, each of which is one JSON object.
public struct ReportPage {
  private let reports: [JSON]

  private static let kinds = ["deadlock", "stall", "misuse", "lockOrder", "longItem"]
  /// No file of reports is larger.
  private static let limit = 64 << 20

  /// How many reports there are.
  public var count: Int { reports.count }

  /// Reads a file in which each line is a report.
  public init(_ path: String) throws(UnreadableRecording) {
    let kind = try RecordingFile.system { () throws(SystemError) in try FileStatus(of: RawString(path)).kind }
    guard kind == .regular else { throw UnreadableRecording(description: "is no regular file") }
    let file = try RecordingFile.system { () throws(SystemError) in try FileBytes(RawString(path)) }
    try self.init(text: String(decoding: file.read(at: 0, count: Self.limit), as: UTF8.self))
  }

  init(text: String) throws(UnreadableRecording) {
    // A line each, or one alone that somebody has laid out.
    let all = JSON(text).map { [$0] } ?? text.utf8.split(separator: UInt8(ascii: "\n")).map { JSON(Substring($0)) }
    let found = all.compactMap { $0 }.filter { Self.kinds.contains($0["kind"].string ?? "") }
    guard !found.isEmpty, found.count == all.count else {
      throw UnreadableRecording(description: "is neither a recording nor a file of reports")
    }
    reports = found
  }

  /// Calls `write` with the bytes of the page, piece by piece; that says whether there is use in going on.
  public func write(_ write: @escaping ([UInt8]) -> Bool) {
    PageTemplate(PackageResources.report_html).write(write) { word in
      switch word {
      case "head": PageTemplate.writeHead(title: "Signalbox report", write)
      case "reports": _ = write(PageTemplate.data(.array(reports)))
      default:
        _ = write(PackageResources.words_js)
        _ = write(PackageResources.report_js)
      }
    }
  }
}
