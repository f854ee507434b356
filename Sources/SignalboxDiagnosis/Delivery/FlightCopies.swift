// FlightCopies.swift: a flight recording is copied at each report after which the program goes on: it would write over what led there. Of a
// report that stops the program the recording itself is the copy.
import SignalboxRecorder
import SignalboxSystem

/// Made by the thread that calls handlers, before it calls any.
enum FlightCopies {
  /// The most reports that have a copy.
  static let most: UInt64 = 8
  private static let made = Relaxed64(0)  // relaxed: a count

  /// Whether the report is to have a copy.
  static func wants(_ report: DiagnosticReport) -> Bool { !report.stopsProgram && Recorder.isFlight && made.load() <= most }

  /// Makes the copy for the report of that number, and says where it is; or says, once, that there will be no more.
  static func make(_ number: UInt64) {
    let place = made.add(1)
    guard place < most else {
      if place == most {
        Misuse.report("the flight recording is copied for no more reports: \(most) have a copy; Recorder.write(to:) makes more")
      }
      return
    }
    do {
      guard let file = try Recorder.writeFlight(ending: ".report-\(number)") else { return }
      Misuse.report("report \(number): the flight recording up to this moment is in \(file)")
    } catch {
      Misuse.report("report \(number): the flight recording was not copied, because \(error)")
    }
  }
}
