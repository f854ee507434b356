// Symbolicator.swift: the helper process that names functions and lines for a report: where it is, and what it answers. What is
// written where it has no answer is SymbolText.swift.
import SignalboxSystem

/// The command `signalbox symbolicate`, as a program that reports finds it.
struct Symbolicator {
  /// How long the helper may take: what it has answered by then counts.
  static let patience: UInt64 = 2_000_000_000

  private let path: String
  private var patience = Self.patience

  /// The helper at `path`, which may take that many nanoseconds.
  init(path: String, patience: UInt64 = Self.patience) {
    self.path = path
    self.patience = patience
  }

  /// Finds the helper: as SIGNALBOX_SYMBOLICATOR names it, else as SIGNALBOX_TOOL, else by its name beside the program or on PATH.
  /// nil where there is none, and in a program that runs with more rights than its caller.
  init?() {
    guard !ProcessInput.isSecure else { return nil }
    if let named = Environment.value("SIGNALBOX_SYMBOLICATOR") {
      path = named
      return
    }
    var candidates = [Environment.value("SIGNALBOX_TOOL")].compactMap { $0 }
    let own = (try? Files.realPath("/proc/self/exe"))?.text.flatMap { path in path.lastIndex(of: "/").map { path[..<$0] } }
    if let own { candidates.append(own + "/signalbox") }
    // Only folders named from the root: where the program happens to stand is nobody's choice.
    let folders = (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    candidates += folders.map { $0 + "/signalbox" }
    guard let found = candidates.first(where: Self.isProgram) else { return nil }
    path = found
  }

  private static func isProgram(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: RawString(path)), status.kind == .regular else { return false }
    return Files.mayExecute(RawString(path))
  }

  /// The helper's answers to `questions`, which are lines; nil where it has none.
  func answers(to questions: [String]) -> [String?] {
    var answers: [String?] = []
    let input = Array(questions.map { $0 + "\n" }.joined().utf8)
    // The helper may itself run on Signalbox: it is not to look for deadlocks and start helpers of its own.
    let variables = ["SIGNALBOX_DEADLOCK": "ignore"]
    if let child = try? ChildProcess(path, ["symbolicate"], adding: variables, input: input) {
      let end = Clock.uptime() &+ patience
      while answers.count < questions.count, Clock.uptime() < end, child.read(milliseconds: 50) {
        answers += child.takeLines()
      }
      answers += child.takeLines()
    }
    answers = answers.prefix(questions.count).map { $0 == "?" ? nil : $0 }
    return answers + Array(repeating: nil, count: questions.count - answers.count)
  }
}
