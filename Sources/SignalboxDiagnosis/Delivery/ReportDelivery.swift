// ReportDelivery.swift: the one way of every report: to the files, to the handler of its kind, to the handlers of all kinds. Each kind says
// itself what stands on standard error, before this; and stops the program itself, after it.
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
    // release P1: pairs with P2 in `call`: who finds the handler finds it whole
    words[index(kind)].storeRelease(UInt64(UInt(bitPattern: box)))
  }

  fileprivate static func call(_ report: DiagnosticReport) {
    // acquire P2: pairs with P1. SAFETY: what was once stored is never released.
    guard let raw = UnsafeRawPointer(bitPattern: UInt(words[index(report.kind)].loadAcquire())) else { return }
    Unmanaged<Handler>.fromOpaque(raw).takeUnretainedValue().call(report)
  }
}
