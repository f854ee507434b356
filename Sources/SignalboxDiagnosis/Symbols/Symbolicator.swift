// Symbolicator.swift: the helper process that names functions and lines for a report: which program that may be, what it answers, and
// how long it may take. What is written where it has no answer is SymbolText.swift.
import SignalboxSystem

/// The command `signalbox symbolicate`, as a program that reports finds it.
///
/// It runs with this program's rights. So it is a program that a user with these rights has named by its whole path, or
/// one in a place that no other user can change (`SolePlace`): what lies beside the program or on PATH is not asked for
/// by name alone.
struct Symbolicator {
  /// Nanoseconds that the helper may take in any case (`NamingTime`): what it has answered by then counts.
  static let patience: UInt64 = 2_000_000_000

  private let path: String
  private var patience = Self.patience

  /// The helper at `path`, which may take that many nanoseconds in any case.
  init(path: String, patience: UInt64 = Self.patience) {
    self.path = path
    self.patience = patience
  }

  /// What a search for the helper came to.
  enum Search {
    case found(Symbolicator)
    /// No helper is to be asked: SIGNALBOX_SYMBOLICATOR names no program, or this program runs with more rights than
    /// its caller.
    case switchedOff
    /// There is none: how there can be one, in a line.
    case none(String)
  }

  /// Finds the helper: as SIGNALBOX_SYMBOLICATOR names it, else as SIGNALBOX_TOOL, else by its name beside the program or on PATH.
  static func search() -> Search {
    guard !ProcessInput.isSecure else { return .switchedOff }
    if let named = Environment.value("SIGNALBOX_SYMBOLICATOR") {
      return named.hasPrefix("/") && isProgram(named) ? .found(Symbolicator(path: named)) : .switchedOff
    }
    if let tool = Environment.value("SIGNALBOX_TOOL"), tool.hasPrefix("/"), isProgram(tool) {
      return .found(Symbolicator(path: tool))
    }
    return search(among: candidates)
  }

  /// The first of the paths that is a program in a place that no other user can change.
  static func search(among candidates: [String]) -> Search {
    var fault: SolePlace.Fault?
    for candidate in candidates where isProgram(candidate) {
      do throws(SolePlace.Fault) {
        if let found = try SolePlace().file(RawString(candidate)).text { return .found(Symbolicator(path: found)) }
      } catch {
        fault = fault ?? error
      }
    }
    let why = fault.map { "the command signalbox is not asked, because \($0)" } ?? "the command signalbox is not on PATH"
    return .none("files and lines are not named: \(why); set SIGNALBOX_TOOL to its whole path")
  }

  /// Beside the program, and in the folders of PATH that are named from the root: where the program happens to stand is
  /// no user's choice.
  private static var candidates: [String] {
    let own = (try? Files.realPath("/proc/self/exe"))?.text.flatMap { path in
      path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
    let folders = (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    return ([own].compactMap { $0 } + folders).map { $0 + "/signalbox" }
  }

  private static func isProgram(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: RawString(path)), status.kind == .regular else { return false }
    return Files.mayExecute(RawString(path))
  }

  /// The helper's answers to `questions`, which are lines; nil where it has none. Calls `onStart` once the helper runs.
  func answers(to questions: [String], onStart: () -> Void = {}) -> [String?] {
    var answers: [String?] = []
    let input = Array(questions.map { $0 + "\n" }.joined().utf8)
    // The helper may itself run on Signalbox: it is not to search for deadlocks and start helpers of its own.
    let variables = [
      "SIGNALBOX_DEADLOCK": "ignore", "SIGNALBOX_LOCK_ORDER": "off", "SIGNALBOX_WATCH": "off", "SIGNALBOX_MAIN_LIMIT": "off",
    ]
    if let child = try? ChildProcess(path, ["symbolicate", "--frames"], adding: variables, input: input) {
      onStart()
      var time = NamingTime(least: patience)
      while answers.count < questions.count, !time.isOver(isWorking: { OtherProcess.isComputing(child.id) }),
        child.read(milliseconds: 50)
      {
        answers += child.takeLines()
      }
      answers += child.takeLines()
    }
    answers = answers.prefix(questions.count).map { $0 == "?" ? nil : $0 }
    return answers + Array(repeating: nil, count: questions.count - answers.count)
  }
}

/// The time that naming may take: two seconds or so in any case, and up to ten times that while the helper or the thread that asks it
/// computes. So a busy machine gets its names later. A helper that sleeps costs a report no more than the two seconds.
struct NamingTime {
  /// Nanoseconds that may pass in any case.
  let least: UInt64
  private static let mostTimesLeast: UInt64 = 10
  /// Nanoseconds without any sign of work after which it has stopped: of two processes one may just hand it to the other.
  private static let gap: UInt64 = 200_000_000

  private let begin = Clock.uptime()
  /// When work was seen last, after the least time.
  private var worked: UInt64 = 0

  init(least: UInt64) { self.least = least }

  /// Whether the time is over. Calls `isWorking` only once the least time has passed.
  mutating func isOver(isWorking: () -> Bool) -> Bool {
    let now = Clock.uptime()
    if now &- begin < least { return false }
    if now &- begin >= Self.mostTimesLeast * least { return true }
    if isWorking() { worked = now }
    return now &- max(worked, begin &+ least) >= Self.gap
  }

  /// When to check again, on the uptime clock.
  var next: UInt64 { max(begin &+ least, Clock.uptime() &+ 50_000_000) }
}
