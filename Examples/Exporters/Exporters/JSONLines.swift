// JSONLines.swift: figures and reports as lines of JSON, for a file or a log.
import Signalbox

/// Calls `write` with a line of figures after each interval, and with a line for each report, until the timer is cancelled.
public func exportLines(every interval: DispatchTimeInterval, to write: @escaping @Sendable (String) -> Void)
  -> any DispatchSourceTimer
{
  let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "figures", qos: .utility))
  let reports = Signalbox.onReport { report in write(report.json + "\n") }
  timer.schedule(deadline: .now() + interval, repeating: interval)
  timer.setEventHandler { write(Snapshot.take().json + "\n") }
  timer.setCancelHandler { reports.remove() }
  timer.activate()
  return timer
}
