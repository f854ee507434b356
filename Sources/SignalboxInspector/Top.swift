// Top.swift: `signalbox top`: a table of what a process does, renewed again and again. What the table has is TopTable.swift.
import SignalboxSystem

/// The tables, one after the other.
public struct Top {
  private let options: TopOptions
  private let process: InspectedProcess
  private let title: String

  /// How long a process may take to answer, in nanoseconds.
  private static let patience: UInt64 = 2_000_000_000

  /// Finds the process.
  public init(_ options: TopOptions) throws(InspectRefusal) {
    self.options = options
    process = try InspectedProcess(options.process, patience: Self.patience)
    title = "\(process.process.id) (\(process.process.name))"
  }

  /// Shows tables until it is ended, the process ends, no process reads them any more, or there were enough. Returns
  /// what there is to say at the end, if the process has ended.
  public func run() throws(InspectRefusal) -> String? {
    let first = try process.inspect()
    let terminal = Terminal()
    defer { terminal?.restore() }
    var before: [Inspection]?, then = Clock.uptime(), inspections = first, shown = 0, oldest = OldestItems()
    oldest.note(first, from: then, to: then)
    // Files are read once: by their tables, as a renewed table has no time for lines.
    var places = PlaceNames(wantsLines: false)
    while true {
      let now = Clock.uptime()
      places.learn(inspections)
      let table = TopTable(
        inspections, after: before, seconds: Double(now - then) / 1e9, title: title, width: terminal?.size.columns ?? 0,
        oldest: oldest, places: places)
      if !show(table.lines, terminal) { return nil }
      shown += 1
      (before, then) = (inspections, now)
      if shown == options.count || isEnded(terminal) { return nil }
      let begun = Clock.uptime()
      do { inspections = try process.inspect() } catch {
        guard shown > 0, error.kind == .noProcess else { throw error }
        return error.message
      }
      oldest.note(inspections, from: begun, to: Clock.uptime())
    }
  }

  /// False: no process reads the tables any more.
  private func show(_ lines: [String], _ terminal: Terminal?) -> Bool {
    guard let terminal else { return OwnProcess.write(lines.joined(separator: "\n") + "\n\n") }
    let room = max(1, terminal.size.rows - 1)
    terminal.renew(
      Array(lines.prefix(room)) + (lines.count > room ? [] : ["", "q ends this"]).prefix(max(0, room - lines.count)))
    return true
  }

  /// Waits for the next table's time. True: the user has ended it.
  private func isEnded(_ terminal: Terminal?) -> Bool {
    let deadline = Clock.uptime() &+ UInt64(options.interval * 1e9)
    guard let terminal else {
      let pause = Atomic32(0)
      // No thread wakes it: the time ends it.
      while Clock.uptime() < deadline { pause.park(expected: 0, deadline: .uptime(deadline)) }
      return false
    }
    while let key = terminal.key(until: deadline) {
      // Ctrl-C comes as a key; so does the end of what is typed.
      if key == Terminal.end || key == 3 || key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { return true }
    }
    return false
  }
}
