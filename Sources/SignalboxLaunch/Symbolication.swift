// Symbolication.swift: `signalbox symbolicate`: which function, file and line a place in an image is. Its command line is
// SymbolicateOptions.swift.
import SignalboxSystem

/// A place in a program or library: `IMAGE OFFSET`.
public struct SymbolQuestion: Sendable, Equatable {
  /// The image's file.
  public let image: String
  /// Bytes from where the image begins in memory.
  public let offset: UInt64

  /// Reads one line: a path, which may hold spaces, and a number, hexadecimal behind `0x`; nil if it is none.
  public init?(line: String) {
    guard let space = line.lastIndex(of: " "), space != line.startIndex else { return nil }
    let word = line[line.index(after: space)...]
    let number = word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word)
    guard let number else { return nil }
    image = String(line[..<space])
    offset = number
  }
}

/// What is known of a place.
public struct SymbolAnswer: Sendable, Equatable {
  /// The function, as source code has it.
  public var function: String?
  /// The source file.
  public var file: String?
  /// The line in it.
  public var line: Int?

  /// Nothing is known.
  public init() {}

  /// `FUNCTION at FILE:LINE`, or `FUNCTION`, or `?`.
  public var text: String {
    guard let function else { return "?" }
    return function + (file.map { " at \($0):\(line ?? 0)" } ?? "")
  }

  /// Two lines of llvm-symbolizer: a function, and `FILE:LINE:COLUMN`.
  init(function: String, place: String) {
    if function != "??" { self.function = LoadedSymbol.demangled(function) }
    let parts = place.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 3, let number = Int(parts[parts.count - 2]), number > 0 else { return }
    let path = parts.dropLast(2).joined(separator: ":")
    guard path != "??" else { return }
    (file, line) = (path, number)
  }
}

/// Answers questions: by llvm-symbolizer, which reads debug information; where it is not there or knows nothing, by the image's
/// symbol table.
public struct Symbolication {
  private let symbolizer: RawString?

  /// With the llvm-symbolizer of the toolchain whose runtime this command runs on, else the one on PATH.
  public init() { self.init(symbolizer: Self.find(runtime: ProcessInput.file(defining: "swift_retain"))) }

  /// With this llvm-symbolizer, or with none.
  init(symbolizer: RawString?) { self.symbolizer = symbolizer }

  static func find(runtime: RawString?) -> RawString? {
    // …/lib/swift/linux/libswiftCore.so and …/bin.
    let up = runtime.flatMap { try? Files.realPath($0) }?.bytes.split(separator: slash).dropLast(4)
    let beside = up.map { RawString($0.map { [slash] + $0 }.joined()) + "/bin/llvm-symbolizer" }
    if let beside, ProgramSearch.ask(beside) == .executable { return beside }
    return try? ProgramSearch(path: EnvironmentList(ProcessInput.environment)["PATH"]).find("llvm-symbolizer")
  }

  /// Calls `each` with the answer to each question, in their order; nil stands for a line that was no question.
  public func answer(_ questions: [SymbolQuestion?], each: (SymbolAnswer) -> Void) {
    var images = Images()
    // Only what can be opened is asked about, by the addresses that the file itself has.
    var pending: [(index: Int, words: String)] = []
    for (index, question) in questions.enumerated() {
      guard let question, let base = images[question.image]?.base, !question.image.contains("\"") else { continue }
      pending.append((index, "\"\(question.image)\" 0x\(String(base &+ question.offset, radix: 16))"))
    }
    var next = 0
    func pass(until index: Int, _ known: SymbolAnswer? = nil) {
      while next < index {
        each(images.answer(questions[next]))
        next += 1
      }
      guard let known else { return }
      each(known.function == nil ? images.answer(questions[index]) : known)
      next += 1
    }
    ask(pending.map(\.words)) { number, answer in pass(until: pending[number].index, answer) }
    pass(until: questions.count)
  }

  /// Asks llvm-symbolizer; answers come in the order of the questions, and may be fewer.
  private func ask(_ questions: [String], each: (Int, SymbolAnswer) -> Void) {
    guard let path = symbolizer?.text, !questions.isEmpty else { return }
    let input = Array(questions.map { $0 + "\n" }.joined().utf8)
    let arguments = ["--no-inlines", "--functions=linkage"]
    guard let child = try? ChildProcess(path, arguments, input: input) else { return }
    var number = 0
    var function: String?
    var isOpen = true
    while isOpen, number < questions.count {
      isOpen = child.read(milliseconds: 1_000)
      for line in child.takeLines() where number < questions.count {
        guard let name = function else {
          function = line
          continue
        }
        each(number, SymbolAnswer(function: name, place: line))
        (number, function) = (number + 1, nil)
      }
    }
  }

  /// The images asked about, each read once.
  private struct Images {
    private var known: [String: ImageSymbols?] = [:]

    subscript(path: String) -> ImageSymbols? {
      mutating get {
        if let found = known[path] { return found }
        let symbols = (try? FileBytes(RawString(path))).flatMap { file in ImageSymbols { file.read(at: $0, count: $1) } }
        known[path] = .some(symbols)
        return symbols
      }
    }

    mutating func answer(_ question: SymbolQuestion?) -> SymbolAnswer {
      var answer = SymbolAnswer()
      guard let question else { return answer }
      answer.function = self[question.image]?.function(at: question.offset).map { LoadedSymbol.demangled($0) }
      return answer
    }
  }
}
