// TimelinePage.swift: a recording as one page of HTML: lanes of threads and queues, to be read in a browser without a network. The page of
// a report is ReportPage.swift.
import SignalboxCommandLine
import SignalboxSystem

/// Turns recordings into pages.
public enum TimelinePage {
  /// Calls `write` with the bytes of the page, piece by piece; that says whether there is use in going on.
  public static func write(_ recording: RecordingFile, _ write: @escaping ([UInt8]) -> Bool) {
    let data = PageData.read(recording), header = data.header(summary: RecordingSummary(recording).json)
    PageTemplate(PackageResources.timeline_html).write(write) { word in
      switch word {
      case "head": PageTemplate.writeHead(title: "Signalbox recording", write)
      case "header": _ = write(PageTemplate.data(header))
      case "columns":
        for (name, column) in data.columns {
          _ = write(Array("<script type=\"text/plain\" id=\"column-\(name)\">".utf8))
          column.write { _ = write($0) }
          _ = write(Array("</script>\n".utf8))
        }
      default:
        for script in scripts { _ = write(script) }
      }
    }
  }

  /// In the order in which they need each other.
  static var scripts: [[UInt8]] {
    [
      PackageResources.words_js, PackageResources.recording_js, PackageResources.painter_js, PackageResources.details_js,
      PackageResources.tables_js, PackageResources.timeline_js,
    ]
  }
}
