// ReportHandlers.swift: the program's way to all reports. Alone: the umbrella has nothing else to do with them.
// Which thread calls the handlers, and when, is SignalboxDiagnosis/Delivery.
public import SignalboxDiagnosis

/// Calls `handler` with every report from now on: deadlocks, stalls, orders of locks, long items of the main queue, misuse.
///
/// ```
/// Signalbox.onReport { report in send(report.json) }
/// ```
/// Handlers run one after another on a thread of their own, `signalbox.calls`, after the report is written to standard error and to
/// files. That thread holds nothing: a handler may take locks, submit to queues, and call Signalbox. It must not wait for what a reported
/// thread holds, nor wait long: later reports wait meanwhile, 64 at most, and `missed` counts the others. A report that a handler itself
/// causes is written, and handed to no handler.
///
/// A report that stops the program does so when the handlers have been called with it and all before it, or after two seconds. A process
/// that ends in order waits for handlers in the same way. In the child of a fork none is called.
///
/// Thread safety: any thread. The first call makes the thread.
///
/// - Returns: what removes the handler; it need not be kept.
@discardableResult
public func onReport(_ handler: @escaping @Sendable (DiagnosticReport) -> Void) -> ReportHandler { ReportHandler(handler) }
