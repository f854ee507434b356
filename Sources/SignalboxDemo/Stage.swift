// Stage.swift: where the acts are played: compiled programs, run on either library for a bounded time, with progress on a terminal.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

/// What the acts run their programs with.
struct Stage: ~Copyable {
  private let compiler: DemoCompiler
  private let ways: BothWays
  let isQuick: Bool
  /// Whether a person reads along.
  private let showsProgress: Bool

  init(_ options: DemoOptions) throws(DemoRefusal) {
    let compiler = try DemoCompiler()
    let folder = compiler.folder
    let ways = try Self.refusing { () throws(Refusal) in try BothWays(in: folder) }
    isQuick = options.isQuick
    showsProgress = !options.isJSON && OwnProcess.outputIsTerminal
    self.ways = ways
    self.compiler = compiler
  }

  /// A program's path.
  func path(_ program: DemoProgram) -> String { "\(compiler.folder)/\(program.rawValue)" }
  /// The folder's name and a slash, which lines shown to a person leave out.
  var folder: String { "\(compiler.folder)/" }

  /// Compiles the programs of some acts, and sees that each gets the library it should get either way.
  func prepare(acts: [Int]) throws(DemoRefusal) {
    let programs = acts.flatMap(DemoProgram.of(act:))
    for (index, program) in programs.enumerated() {
      progress("compiling \(program.file) (\(index + 1) of \(programs.count))")
      try compiler.compile(program)
      let ways = ways
      try Self.refusing { () throws(Refusal) in try ways.check(program.rawValue) }
    }
    clear()
  }

  /// A run of one program.
  struct Run {
    let text: String
    let seconds: Double
    let end: Programs.End

    var wasStopped: Bool { end == .limit }
    /// The lines that end with `word`.
    func lines(ending word: String) -> Int { text.split(separator: "\n").count { $0.hasSuffix(word) } }
    /// How it ended, in words.
    var endWords: String {
      switch end {
      case .exit(0): "ended"
      case .exit(let status): "ended with status \(status)"
      case .signal(let signal): "ended by \(signal == 6 ? "SIGABRT" : "signal \(signal)")"
      case .limit, .stopped: "stopped"
      case .unknown: "ended"
      }
    }
  }

  /// Runs a program to its end, or for `seconds` at most.
  ///
  /// - Parameter doing: words for the progress line, from the text so far.
  func run(
    _ program: DemoProgram, on library: Library, seconds: Double, doing: (String) -> String = { _ in "" }
  ) throws(DemoRefusal) -> Run {
    let begin = Clock.uptime()
    let watched = try Self.refusing { () throws(Refusal) in
      try ways.watch(
        program.rawValue, [], library == .toolchain ? .asItIs : .throughCommand, nanoseconds: UInt64(seconds * 1e9)
      ) { bytes in
        guard showsProgress else { return !Interrupts.haveCome }
        let elapsed = Double(Clock.uptime() - begin) / 1e9
        let word = doing(String(decoding: bytes, as: UTF8.self))
        progress(
          "\(library.name): \(word)\(word.isEmpty ? "" : ", ")\(Page.seconds(elapsed)), at most \(Page.seconds(seconds))")
        return !Interrupts.haveCome
      }
    }
    return try finish(watched)
  }

  /// Runs `signalbox explore` with a program.
  func explore(_ program: DemoProgram, _ options: [String], seconds: Double) throws(DemoRefusal) -> Run {
    progress("signalbox explore")
    let arguments = ["explore", "--no-save"] + options + ["--", path(program)]
    return try finish(
      try Self.refusing { () throws(Refusal) in
        try ways.command(arguments, nanoseconds: UInt64(seconds * 1e9)) { _ in !Interrupts.haveCome }
      })
  }

  /// Runs a program on the toolchain's libraries until it prints its first line, and then `signalbox inspect` on it.
  func inspect(_ program: DemoProgram, seconds: Double) throws(DemoRefusal) -> Run {
    progress("signalbox inspect")
    let ways = ways
    return try finish(
      try Self.refusing { () throws(Refusal) in
        try ways.inspect(program.rawValue, nanoseconds: UInt64(seconds * 1e9)) { _ in !Interrupts.haveCome }
      })
  }

  private func finish(_ watched: Programs.Watched) throws(DemoRefusal) -> Run {
    clear()
    if Interrupts.haveCome { throw .interrupted }
    return Run(
      text: String(decoding: watched.bytes, as: UTF8.self), seconds: Double(watched.nanoseconds) / 1e9, end: watched.end)
  }

  /// The two that are compared.
  enum Library: CaseIterable {
    case toolchain, signalbox
    var name: String { self == .toolchain ? "toolchain" : "signalbox run" }
  }

  // MARK: progress

  /// One line that the next one takes the place of.
  func progress(_ line: String) {
    if showsProgress { OwnProcess.write("\r\u{1B}[K  … \(line.prefix(72))") }
  }

  private func clear() {
    if showsProgress { OwnProcess.write("\r\u{1B}[K") }
  }

  private static func refusing<Value>(_ body: () throws(Refusal) -> Value) throws(DemoRefusal) -> Value {
    do throws(Refusal) { return try body() } catch {
      throw DemoRefusal(error.kind == .folderUnsafe ? .noPermission : .unavailable, error.message)
    }
  }
}
