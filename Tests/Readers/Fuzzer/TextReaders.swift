// TextReaders.swift: the readers of text: JSON, reports, answers of inspected processes, tokens, saved schedules,
// places and their names. The input is the text.
import CSignalboxExplore
import SignalboxCommandLine
import SignalboxExplorer
import SignalboxInspector
import SignalboxLaunch
import SignalboxSystem
import SignalboxTimeline

private func text(_ input: some Sequence<UInt8>) -> String { String(decoding: Array(input), as: UTF8.self) }

/// A JSON text; as it is printed it reads as the same.
struct JSONReader: DamagedReader {
  func read(_ input: [UInt8]) {
    guard let value = JSON(text(input)) else { return }
    let printed = value.text
    guard JSON(printed)?.text == printed else { stop("JSON that was printed reads as something else: \(printed)") }
    _ = (value.integer, value.string, value.boolean, value["a"].values)
  }
}

/// A file of reports, and its page.
final class ReportReader: DamagedReader {
  private let file = PlainFile()

  func read(_ input: [UInt8]) {
    file.hold(input)
    guard let page = try? ReportPage(file.path) else { return }
    var count = 0
    page.write {
      count += $0.count; return true
    }
    if count == 0 || page.count == 0 { stop("a page of reports is empty") }
  }
}

/// All tables, with all rows.
let shownWhole = (try? InspectOptions(["--all", "1"])) ?? { stop("the options of an inspection are others now", 2) }()

/// What an inspected process answers, piece by piece: after each 0 another one comes.
struct AnswerReader: DamagedReader {
  private final class Channel: ByteChannel {
    private var pieces: [[UInt8]]
    init(_ input: [UInt8]) { pieces = input.split(separator: 0).map { Array($0) } }
    func read(until deadline: UInt64) throws(SystemError) -> [UInt8]? { pieces.isEmpty ? nil : pieces.removeFirst() }
    func write(_ bytes: [UInt8], until deadline: UInt64) -> Bool { true }
  }

  func read(_ input: [UInt8]) {
    let isGreeted = input.first.map { $0 & 1 == 1 } ?? true
    let greeting = isGreeted ? Array("signalbox-inspect 2 0x1000\n".utf8) : []
    let requests = ProcessRequests(Channel(greeting + input.dropFirst()), patience: 1_000)
    for count in [8, 1, 64] where requests.bytes(0x1000, count).map({ $0.count != count }) == true {
      stop("\(count) bytes were asked for, and others were taken")
    }
    if let stack = requests.stack(of: 1), stack.addresses.count > 4_096 { stop("a stack is longer than a line") }
  }
}

/// A token, as it is written or as numbers of seven bits that get the right sum; and where a run leaves it.
final class TokenReader: DamagedReader {
  private let memory: SharedMemory
  private var shared: OpaquePointer { OpaquePointer(memory.start) }

  init() {
    guard let memory = try? SharedMemory(size: sbx_shared_size()) else { stop("there is no memory for a run", 2) }
    self.memory = memory
  }

  func read(_ input: [UInt8]) {
    guard let token = Token(text(input)) ?? spelled(input) else { return }
    guard let again = Token(token.text), again.text == token.text else {
      stop("a token is spelled in another way: \(token.text)")
    }
    _ = token.isSame(as: again)
    // A run with as many steps, or fewer.
    for steps in [token.steps.value, token.steps.value / 2, 3, .max] {
      sbx_outcome_of(shared).pointee.steps = steps
      let result = RunResult(shared, output: "")
      guard let parting = Parting(result, token, shared: shared) else { continue }
      if parting.text.isEmpty { stop("a parting has no text") }
    }
  }

  /// Numbers, as a token has them, with their sum.
  private func spelled(_ numbers: [UInt8]) -> Token? {
    guard numbers.first == 0, numbers.count < 4_000 else { return nil }
    return Token(Token.spelling(Array(numbers.dropFirst())))
  }
}

/// A file of saved schedules.
struct SavedReader: DamagedReader {
  func read(_ input: [UInt8]) {
    for entry in SavedSchedules.entries(in: text(input)).entries {
      if entry.token.text.isEmpty || entry.failure.contains("\n") { stop("an entry has no token, or two lines") }
    }
  }
}

/// Lines of places, as `signalbox symbolicate` reads them, and lines of a symbolizer's answer.
struct SymbolsReader: DamagedReader {
  func read(_ input: [UInt8]) {
    let lines = text(input).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // No file of the machine is read.
    let questions = lines.map { SymbolQuestion(line: $0) }.map { $0?.image.hasPrefix("/none/") == true ? $0 : nil }
    Symbolication.byTables.answer(questions) { _ = ($0.text, $0.framesText, $0.function) }
    for (name, place) in zip(lines, lines.dropFirst()) {
      guard let frame = SymbolAnswer.Frame(name: name, place: place) else { continue }
      _ = (frame.text(name: name), SymbolNames.short(name), SymbolNames.full(name), SymbolNames.module(name))
    }
  }
}
