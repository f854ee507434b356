// Symbolication.swift: `signalbox symbolicate`: which function, file and line a place in an image is. Its command line is
// SymbolicateOptions.swift.
import SignalboxSystem

/// A place in a program or library: `IMAGE OFFSET`.
public struct SymbolQuestion: Sendable, Equatable {
  /// The image's file.
  public let image: String
  /// Bytes from where the image begins in memory.
  public let offset: ReadNumber

  /// Reads one line: a path, which may hold spaces, and a number, hexadecimal behind `0x`; nil if it is none.
  public init?(line: String) {
    guard let space = line.lastIndex(of: " "), space != line.startIndex else { return nil }
    let word = line[line.index(after: space)...]
    let number = word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word)
    guard let number else { return nil }
    image = String(line[..<space])
    offset = ReadNumber(number)
  }
}

/// What is known of a place.
public struct SymbolAnswer: Sendable, Equatable {
  /// One function.
  public struct Frame: Sendable, Equatable {
    /// Its name, as the compiler wrote it.
    public var name: String
    /// The source file.
    public var file: String?
    /// The line in it.
    public var line: Int?

    /// The function alone.
    init(name: String) { self.name = name }

    /// Two lines of llvm-symbolizer: a function, and `FILE:LINE:COLUMN`; nil if it does not know the function.
    package init?(name: String, place: String) {
      guard name != "??" else { return nil }
      self.name = name
      let parts = place.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count >= 3, let number = Int(parts[parts.count - 2]), number > 0 else { return }
      let path = parts.dropLast(2).joined(separator: ":")
      guard path != "??" else { return }
      (file, line) = (path, number)
    }

    package func text(name: String) -> String { name + (file.map { " at \($0):\(line ?? 0)" } ?? "") }
  }

  /// The functions that are under way there, innermost first: those that the compiler put into another, and that one. None if nothing
  /// is known.
  public var frames: [Frame] = []

  /// The function as source code has it.
  public var function: String? { frames.last.map { SymbolNames.full($0.name) } }
  /// The source file.
  public var file: String? { frames.last?.file }
  /// The line in it.
  public var line: Int? { frames.last?.line }

  /// `FUNCTION at FILE:LINE`, or `FUNCTION`, or `?`.
  public var text: String { frames.last.map { $0.text(name: SymbolNames.short($0.name)) } ?? "?" }

  /// All frames, with the compiler's names, separated by tabs; `?` if there are none.
  public var framesText: String { frames.isEmpty ? "?" : frames.map { $0.text(name: $0.name) }.joined(separator: "\t") }
}

/// Answers questions: by llvm-symbolizer, which reads debug information; where it is not there or knows nothing, by the image's
/// symbol table.
public struct Symbolication {
  private let symbolizer: RawString?

  /// With the llvm-symbolizer of the toolchain whose runtime this command runs on, else the one on PATH.
  public init() { self.init(symbolizer: Self.find(runtime: ProcessInput.file(defining: "swift_retain"))) }

  /// By the images' symbol tables alone: functions without files and lines, in milliseconds.
  public static var byTables: Symbolication { Symbolication(symbolizer: nil) }

  /// With this llvm-symbolizer, or with none.
  init(symbolizer: RawString?) { self.symbolizer = symbolizer }

  static func find(runtime: RawString?) -> RawString? {
    // …/lib/swift/linux/libswiftCore.so and …/bin.
    let up = runtime.flatMap { try? Files.realPath($0) }?.bytes.split(separator: slash).dropLast(4)
    let beside = up.map { RawString($0.map { [slash] + $0 }.joined()) + "/bin/llvm-symbolizer" }
    if let beside, ProgramSearch.ask(beside) == .executable { return beside }
    let onPath = try? ProgramSearch(path: EnvironmentList(ProcessInput.environment)["PATH"]).find("llvm-symbolizer")
    // A report of a program with many rights may have started this command: no other user's program is run in turn.
    return onPath.flatMap { try? SolePlace().file($0) }
  }

  /// Calls `each` with the answer to each question, in their order; nil stands for a line that was no question.
  public func answer(_ questions: [SymbolQuestion?], each: (SymbolAnswer) -> Void) {
    let tables = Tables(questions)
    // Only what can be opened is asked about, by the addresses that the file itself has.
    let pending = questions.indices.compactMap { index -> (index: Int, words: String)? in
      guard let question = questions[index], let base = tables.base(question.image), Self.isAskable(question.image) else {
        return nil
      }
      return (index, "\"\(question.image)\" \((base + question.offset).hexadecimal)")
    }
    var next = 0
    func pass(until index: Int) {
      while next < index {
        each(tables.answer(next))
        next += 1
      }
    }
    ask(pending.map(\.words)) { number, answer in
      pass(until: pending[number].index)
      each(answer.frames.isEmpty ? tables.answer(next) : answer)
      next += 1
    }
    pass(until: questions.count)
  }

  /// Where functions begin, by the compiler's names: calls `each` with the numbers of those that llvm-symbolizer finds, in order.
  public func answer(functions: [(image: String, name: String)], each: (Int, SymbolAnswer) -> Void) {
    let asked = functions.indices.filter {
      Self.isAskable(functions[$0].image) && Self.isAskable(functions[$0].name) && !functions[$0].name.contains(" ")
    }
    ask(asked.map { "\"\(functions[$0].image)\" \(functions[$0].name)" }) { number, answer in
      if !answer.frames.isEmpty { each(asked[number], answer) }
    }
  }

  /// A name with a line's end in it would be two questions, and the answers one behind another's.
  private static func isAskable(_ name: String) -> Bool { !name.utf8.contains { $0 == UInt8(ascii: "\"") || $0 < 32 } }

  /// Asks llvm-symbolizer; answers come in the order of the questions, and may be fewer.
  private func ask(_ questions: [String], each: (Int, SymbolAnswer) -> Void) {
    guard let path = symbolizer?.text, !questions.isEmpty else { return }
    let input = Array(questions.map { $0 + "\n" }.joined().utf8)
    guard let child = try? ChildProcess(path, ["--inlines", "--functions=linkage"], input: input) else { return }
    var number = 0
    var answer = SymbolAnswer()
    var function: String?
    var isOpen = true
    while isOpen, number < questions.count {
      isOpen = child.read(milliseconds: 1_000)
      for line in child.takeLines(empty: .kept) where number < questions.count {
        // Two lines for each function, and an empty one behind the last.
        if let name = function {
          if let frame = SymbolAnswer.Frame(name: name, place: line) { answer.frames.append(frame) }
          function = nil
        } else if !line.isEmpty {
          function = line
        } else {
          each(number, answer)
          (number, answer) = (number + 1, SymbolAnswer())
        }
      }
    }
  }

  /// What the images' own symbol tables say, each read once.
  private struct Tables {
    private var bases: [String: ReadNumber] = [:]
    private var names: [String?]

    init(_ questions: [SymbolQuestion?]) {
      names = questions.map { _ in nil }
      for (image, indices) in Dictionary(grouping: questions.indices, by: { questions[$0]?.image }) {
        guard let image else { continue }
        bases[image] = ImageFunctions.base(of: image)
        let found = ImageFunctions.at(indices.compactMap { questions[$0]?.offset.bits }, in: image)
        for (index, function) in zip(indices, found) { names[index] = function?.name }
      }
    }

    func base(_ image: String) -> ReadNumber? { bases[image] }

    func answer(_ index: Int) -> SymbolAnswer { SymbolAnswer(frames: names[index].map { [.init(name: $0)] } ?? []) }
  }
}
