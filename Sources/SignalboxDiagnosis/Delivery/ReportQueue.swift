// ReportQueue.swift: reports on their way to the handlers: in order, a limited number, and how many have arrived. Pure: no threads, no
// locks. The code that takes them is ReportHandlers.swift.

/// The reports that wait, and the one that the handlers are being called with.
///
///   INV-1  done ≤ added
///   INV-2  added - done == waiting + (one is being handed over ? 1 : 0)
///   INV-3  waiting ≤ room + 1: beyond the room there is only a report that stops the program
struct ReportQueue<Report> {
  /// How many may wait; more are missed, and counted.
  let room: Int

  private(set) var waiting: [Report] = []
  /// The number of the report added last, counted from 1; missed ones have none.
  private(set) var added: UInt64 = 0
  /// The number of the report that the handlers were called with last.
  private(set) var done: UInt64 = 0
  /// How many were missed since one was taken.
  private(set) var missed = 0
  private(set) var isHandingOver = false

  init(room: Int = 64) { self.room = room }

  /// Adds a report. Returns its number; nil where there is no room, which what stops the program always has.
  mutating func add(_ report: Report, stopsProgram: Bool) -> UInt64? {
    guard waiting.count < room || stopsProgram && waiting.count == room else {
      missed += 1
      return nil
    }
    waiting.append(report)
    added += 1
    return added
  }

  /// Takes the first report, with how many were missed since the last was taken; nil if none waits, or one is still being handed over.
  mutating func take() -> (report: Report, missed: Int)? {
    guard !isHandingOver, !waiting.isEmpty else { return nil }
    defer { missed = 0 }
    isHandingOver = true
    return (waiting.removeFirst(), missed)
  }

  /// The handlers were called with what was taken.
  mutating func ended() {
    precondition(isHandingOver, "nothing is being handed over")
    isHandingOver = false
    done += 1
  }

  /// Whether every report that was added has been handed over.
  var isIdle: Bool { done == added }
}
