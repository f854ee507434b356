// SymbolicateCommand.swift: `signalbox symbolicate`: reads places, writes names. The work is SignalboxLaunch's.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

enum SymbolicateCommand: Subcommand {
  static let name = "symbolicate"
  static let summary = "print the functions and lines of addresses in reports"

  static func run(_ arguments: [String]) -> ExitStatus {
    let form: SymbolicateOptions.Form
    do throws(Refusal) {
      guard case .answer(let wanted) = try SymbolicateOptions(arguments).action else {
        OwnProcess.write(SymbolicateOptions.help)
        return .success
      }
      form = wanted
    } catch {
      return complain("symbolicate: \(error.message); \"signalbox symbolicate --help\" lists the options", .usage)
    }
    var lines: [String] = []
    while let line = readLine() { lines.append(line) }
    return answer(lines, form)
  }

  private static func answer(_ lines: [String], _ form: SymbolicateOptions.Form) -> ExitStatus {
    let questions = lines.map { SymbolQuestion(line: $0) }
    var number = 0
    Symbolication().answer(questions) { answer in
      OwnProcess.write(line(form, questions[number], answer) + "\n")
      number += 1
    }
    guard let wrong = questions.firstIndex(of: nil) else { return .success }
    let count = questions.count { $0 == nil }, first = "line \(wrong + 1)", text = lines[wrong]
    return complain(
      count == 1
        ? "symbolicate: \(first) is no IMAGE OFFSET: \(text)"
        : "symbolicate: \(count) of \(questions.count) lines are no IMAGE OFFSET; the first is \(first): \(text)",
      count == questions.count ? .dataError : .damaged)
  }

  private static func line(_ form: SymbolicateOptions.Form, _ question: SymbolQuestion?, _ answer: SymbolAnswer) -> String {
    switch form {
    case .text: answer.text
    case .json: json(question, answer)
    case .frames: answer.framesText
    }
  }

  private static func json(_ question: SymbolQuestion?, _ answer: SymbolAnswer) -> String {
    func string(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    return JSON.object([
      ("image", string(question?.image)), ("offset", question.map { .number($0.offset.double) } ?? .null),
      ("function", string(answer.function)), ("file", string(answer.file)),
      ("line", answer.line.map { .number(Double($0)) } ?? .null),
    ]).text
  }
}
