// InspectCommand.swift: `signalbox inspect`, `signalbox watch` and `signalbox top`: the words of their ends. The work
// is SignalboxInspector's.
import SignalboxCommandLine
import SignalboxInspector
import SignalboxSystem
import SignalboxTimeline

enum InspectCommand: Subcommand {
  static let name = "inspect"
  static let summary = "show what a running process is doing, also one that hangs: threads, waits, queues"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(InspectRefusal) {
      let options = try InspectOptions(arguments)
      if options.wantsHelp {
        OwnProcess.write(InspectOptions.help)
        return .success
      }
      if let core = options.core {
        let found = try CoreInspection(core, program: options.program)
        if options.isCheck { return found.inspections.contains(where: \.hasDeadlock) ? .hangs : .success }
        return show(found.inspections, found.process, found.name, options, found.damage)
      }
      let asked = try InspectedProcess(options.process)
      if let file = options.recording { return try copy(asked.process, file) }
      if options.isCheck { return try asked.hasDeadlock(withTasks: options.wantsTasks) ? .hangs : .success }
      let inspections = try asked.inspect(wantsStacks: options.wantsStacks, progress: SearchLine.make())
      return show(inspections, asked.process.id, asked.process.name, options)
    } catch {
      return refuse(error, name)
    }
  }

  /// - Parameter damage: what the file lacks, in words.
  private static func show(
    _ inspections: [Inspection], _ id: Int32, _ name: String, _ options: InspectOptions, _ damage: [String] = []
  ) -> ExitStatus {
    if options.isJSON {
      OwnProcess.write(InspectOutput.json(inspections, process: id, name: name).text + "\n")
    } else {
      let width = options.isWide ? 0 : Terminal.columns ?? 0
      OwnProcess.write(InspectionTables(inspections, process: "\(id) (\(name))", options, width: width).text)
    }
    let status = options.picture.map { draw(inspections, "\(id) (\(name))", $0) } ?? .success
    guard status == .success, let loss = Inspection.loss(inspections, damage) else { return status }
    return complain("inspect: \(options.core ?? "what process \(id) shows") is damaged or cut off: \(loss)", .damaged)
  }

  private static func copy(_ process: OtherProcess, _ file: String) throws(InspectRefusal) -> ExitStatus {
    let recording = try RecordingCopy(of: process, RecordingFile.layout) {
      (try? RecordingFile.isRecording($0.description)) == true
    }
    do {
      try PrivateFile.replace(file) { recording.write($0) }
      return .success
    } catch {
      return complain("inspect: \(file) cannot be written, because \(error)", .cannotCreateFile)
    }
  }

  private static func draw(_ inspections: [Inspection], _ process: String, _ file: String) -> ExitStatus {
    let picture = Array(WaitPicture(inspections, process: process).svg.utf8)
    do {
      try PrivateFile.replace(file) { write in _ = write(picture) }
      return .success
    } catch {
      return complain("inspect: \(file) cannot be written, because \(error)", .cannotCreateFile)
    }
  }
}

/// How far the memory of a process is searched, in a line of a terminal.
private enum SearchLine {
  /// A search that takes less is not worth a line, in nanoseconds; nor is every step of it.
  private static let patience: UInt64 = 1_000_000_000, step: UInt64 = 200_000_000

  /// Shows the line where standard error is a terminal.
  static func make() -> (_ done: UInt64, _ total: UInt64) -> Void {
    guard Terminal.isStandardError else { return { _, _ in } }
    var next = Clock.uptime() &+ patience, isShown = false
    return { done, total in
      let now = Clock.uptime()
      if done == total {
        if isShown { StandardError.write("\r\u{1b}[K") }
      } else if now >= next {
        (next, isShown) = (now &+ step, true)
        StandardError.write("\r\u{1b}[Ksearching its memory for tasks: \(done >> 20) of \(total >> 20) MB")
      }
    }
  }
}

enum WatchCommand: Subcommand {
  static let name = "watch"
  static let summary = "read a running process until it hangs, and show then what it does"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(InspectRefusal) {
      let options = try WatchOptions(arguments)
      if options.wantsHelp {
        OwnProcess.write(WatchOptions.help)
        return .success
      }
      let watch = try Watch(options), id = watch.watched.id, name = watch.watched.name
      let ending = try watch.run { finding in
        OwnProcess.write((options.isJSON ? finding.json.text : finding.text) + "\n")
      }
      switch ending {
      case .ended(let sentence):
        StandardError.write("signalbox: watch: \(sentence)\n")
        return .success
      case .hangs(let reason, let inspections):
        if options.isJSON {
          let inspection = InspectOutput.json(inspections, process: id, name: name)
          OwnProcess.write(JSON.object([("because", .string(reason)), ("inspection", inspection)]).text + "\n")
        } else {
          let tables = InspectionTables(inspections, process: "\(id) (\(name))", .plain, width: Terminal.columns ?? 0)
          OwnProcess.write("\(reason)\n\n" + tables.text)
        }
        return .hangs
      }
    } catch {
      return refuse(error, name)
    }
  }
}

enum TopCommand: Subcommand {
  static let name = "top"
  static let summary = "show what a running process is doing, again and again: queues by rate, waits, threads"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(InspectRefusal) {
      let options = try TopOptions(arguments)
      if options.wantsHelp {
        OwnProcess.write(TopOptions.help)
        return .success
      }
      if let ending = try Top(options).run() { OwnProcess.write(ending + "\n") }
      return .success
    } catch {
      return refuse(error, name)
    }
  }
}

/// Writes a refusal and turns it into the exit status.
private func refuse(_ refusal: InspectRefusal, _ command: String) -> ExitStatus {
  let status: ExitStatus =
    switch refusal.kind {
    case .usage: .usage
    case .noProcess, .notPrepared, .foreign: .unavailable
    case .notPermitted: .noPermission
    case .noAnswer, .badFile, .noFile: .dataError
    }
  let hint = refusal.kind == .usage ? "; \"signalbox \(command) --help\" lists the options" : ""
  return complain("\(command): \(refusal.message)\(hint)", status)
}
