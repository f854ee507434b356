// ReportDelivery.swift: the one way of every report: to the files, to the handler of its kind, to the handlers of all
// kinds; and the copy of a flight recording before them. Each kind says itself what stands on standard error, before
// this; and stops the program itself, after it.
import SignalboxRecorder
import SignalboxSystem

/// The way.
enum ReportDelivery {
  /// Hands the report over, and returns when the handlers of all kinds may still be running; if it stops the program, when they have
  /// run, or after `patience`.
  ///
  /// In the child of a fork it is written, and the handler of its kind is called.
  static func deliver(_ report: DiagnosticReport) {
    ReportFiles.write(report)
    handOver(report)
  }

  /// The same, for what is written already.
  static func handOver(_ report: DiagnosticReport) {
    KindHandlers.call(report)
    guard let number = ReportHandlers.add(report), report.stopsProgram else { return }
    ReportHandlers.awaitCalls(of: number)
  }
}

/// The handlers of single kinds: they run on the thread that reports, before it goes on.
enum KindHandlers {
  private final class Handler: Sendable {
    let call: @Sendable (DiagnosticReport) -> Void
    init(_ call: @escaping @Sendable (DiagnosticReport) -> Void) { self.call = call }
  }

  // Without a lock: a report may come in the child of a fork. One word for each kind, in the order of its cases.
  private static let words = InlineArray<5, Atomic64> { _ in Atomic64(0) }
  private static func index(_ kind: DiagnosticReport.Kind) -> Int {
    switch kind {
    case .deadlock: 0
    case .stall: 1
    case .lockOrder: 2
    case .longItem: 3
    case .misuse: 4
    }
  }

  /// Sets the handler of a kind; nil removes it.
  static func set<Details: Sendable>(
    _ kind: DiagnosticReport.Kind, _ handler: (@Sendable (Details) -> Void)?
  ) {
    // One box for each handler ever set: another thread may be calling the one before.
    let box = handler.map { handler in
      Unmanaged.passRetained(Handler { report in if let details = report.details as? Details { handler(details) } }).toOpaque()
    }
    // release P1: pairs with P2 in `call`: a thread that finds the handler finds it whole
    words[index(kind)].storeRelease(UInt64(UInt(bitPattern: box)))
  }

  fileprivate static func call(_ report: DiagnosticReport) {
    // acquire P2: pairs with P1. SAFETY: what was once stored is never released.
    guard let raw = UnsafeRawPointer(bitPattern: UInt(words[index(report.kind)].loadAcquire())) else { return }
    Unmanaged<Handler>.fromOpaque(raw).takeUnretainedValue().call(report)
  }
}

// MARK: the files, as JSON, one object on one line

/// Files that the environment names.
enum ReportFiles {
  /// Of all reports.
  static let all = "SIGNALBOX_REPORT_JSON"
  /// Of deadlocks, stalls and misuse.
  static let deadlocks = "SIGNALBOX_DEADLOCK_JSON"

  /// Appends the report's line to the files that want it; to one file once.
  static func write(_ report: DiagnosticReport) {
    let wanted = [all] + ([.deadlock, .stall, .misuse].contains(report.kind) ? [deadlocks] : [])
    var written: Set<String> = []
    for variable in wanted {
      guard let path = Environment.value(variable), written.insert(path).inserted else { continue }
      do {
        try PrivateFile.append(report.json + "\n", to: path)
      } catch {
        Misuse.report("the report cannot be written to \(variable)=\(path): \(error)")
      }
    }
  }
}

// MARK: the flight recording

// It is copied at each report after which the program goes on: it would write over what led there. Of a report that
// stops the program the recording itself is the copy.

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
