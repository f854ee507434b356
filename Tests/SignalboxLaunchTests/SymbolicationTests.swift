// SymbolicationTests.swift: places that are named: questions and answers as text, symbol tables, the tool that knows lines, and the
// built command.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Symbolication of addresses") struct SymbolicationTests {
  @Test("A question names a file and addresses in it")
  func questions() {
    #expect(SymbolQuestion(line: "/usr/bin/ls 0x1f2A") == SymbolQuestion(line: "/usr/bin/ls 7978"))
    #expect(SymbolQuestion(line: "/a b c 0x10")?.image == "/a b c")
    for line in ["", "/usr/bin/ls", " 0x10", "/usr/bin/ls 0x", "/usr/bin/ls 0xfg", "/usr/bin/ls -1", "/usr/bin/ls ten"] {
      #expect(SymbolQuestion(line: line) == nil, "\(line)")
    }
  }

  @Test("Answers are written as one line for each address")
  func answers() {
    func answer(_ name: String, _ place: String) -> SymbolAnswer {
      SymbolAnswer(frames: [SymbolAnswer.Frame(name: name, place: place)].compactMap { $0 })
    }
    #expect(answer("main", "/a:b.c:12:3").text == "main at /a:b.c:12")
    #expect(answer("main", "??:0:0").text == "main")
    #expect(answer("main", "/a.c:0:0").text == "main")
    #expect(answer("??", "??:0:0").text == "?" && answer("??", "??:0:0").framesText == "?")
    let append = answer("$sSa6appendyyxnF", "??:0:0")
    #expect(append.text == "Array.append(_:)" && append.function == "Swift.Array.append(__owned A) -> ()")
    #expect(append.framesText == "$sSa6appendyyxnF")
    let both = SymbolAnswer(frames: answer("inner", "a.c:1:1").frames + answer("outer", "b.c:2:1").frames)
    #expect(both.text == "outer at b.c:2" && both.framesText == "inner at a.c:1\touter at b.c:2")
  }

  /// A place in this test, twice, one at the head of the runtime's file, and two that are none.
  private func ownQuestions() throws -> [SymbolQuestion?] {
    let here = ThreadStack.own()[0] - 1
    let place = try #require(MappedImages().place(of: here))
    let runtime = try #require(ProcessInput.file(defining: "swift_retain"))
    return [
      SymbolQuestion(line: "\(place.image) \(place.offset)"), nil, SymbolQuestion(line: "\(runtime) 0x10"),
      SymbolQuestion(line: "/no/such/file 0x10"), SymbolQuestion(line: "\(place.image) \(place.offset)"),
    ]
  }

  @Test("Lines come from the debug information")
  func linesComeFromDebugInformation() throws {
    let symbolication = Symbolication()
    var texts: [String] = []
    symbolication.answer(try ownQuestions()) { texts.append($0.text) }
    #expect(texts.count == 5 && texts[0] == texts[4])
    #expect(texts[0].contains("ownQuestions") && texts[0].contains(" at /") && texts[0].contains("SymbolicationTests.swift:"))
    #expect(texts[1] == "?" && texts[3] == "?")
  }

  @Test(
    "Without debug information names come from the symbol table",
    arguments: [nil, "/no/such/symbolizer", "/bin/true"] as [String?])
  func namesComeFromTheSymbolTable(symbolizer: String?) throws {
    let symbolication = Symbolication(symbolizer: symbolizer.map { RawString($0) })
    var texts: [String] = []
    symbolication.answer(try ownQuestions()) { texts.append($0.text) }
    #expect(texts.count == 5 && texts[0] == texts[4])
    #expect(texts[0].contains("ownQuestions") && !texts[0].contains(" at /"))
    #expect(texts[1] == "?" && texts[3] == "?")
  }

  @Test("A damaged file gives no names")
  func damagedFilesHaveNoNames() throws {
    let folder = try TemporaryFolder(), cut = try folder.copy("/proc/self/exe", as: "cut")
    #expect(truncate(cut, 4096) == 0)
    let text = try folder.file("text", "words")
    var answers: [SymbolAnswer] = []
    let questions = [cut, text, folder.path].map { SymbolQuestion(line: "\($0) 0x40") }
    Symbolication().answer(questions) { answers.append($0) }
    #expect(answers == [SymbolAnswer(), SymbolAnswer(), SymbolAnswer()])
  }

  @Test("The options of symbolicate are read")
  func options() throws {
    #expect(try SymbolicateOptions([]).action == .answer(.text))
    #expect(try SymbolicateOptions(["--json"]).action == .answer(.json))
    #expect(try SymbolicateOptions(["--json", "-h"]).action == .help)
    #expect(try SymbolicateOptions(["--frames"]).action == .answer(.frames))
    for wrong in [["--wrong"], ["file"], ["-"]] { #expect(throws: Refusal.self) { try SymbolicateOptions(wrong) } }
  }
}

@Suite("The command signalbox symbolicate") struct SymbolicateToolTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("The command answers line by line")
  func itAnswersLineByLine() throws {
    let result = try tool.shell(
      "\"$signalbox\" symbolicate < /dev/null && printf '/no/such 0x1\\n/bin/sh 0\\n' | \"$signalbox\" symbolicate")
    #expect(result.status == 0 && result.text == "?\n?\n")
  }

  @Test("The command answers in JSON when that is asked for")
  func itAnswersInJSON() throws {
    let result = try tool.shell("printf '/no/\"such 0x10' | \"$signalbox\" symbolicate --json")
    #expect(result.text == "{\"image\":\"/no/\\\"such\",\"offset\":16,\"function\":null,\"file\":null,\"line\":null}\n")
  }

  @Test("A wrong line gets an answer and is reported")
  func wrongLinesAreAnsweredAndTold() throws {
    let result = try tool.shell("printf 'nonsense\\n/no/such 1\\n' | \"$signalbox\" symbolicate")
    #expect(result.status == 3)
    #expect(result.text == "?\n?\nsignalbox: symbolicate: line 1 is no IMAGE OFFSET: nonsense\n")
  }

  @Test(
    "Wrong lines are counted; if all lines are wrong, the command ends with a status of its own",
    arguments: [("/no/such 1", 3), ("\\377 0x", 65)])
  func wrongLinesAreCounted(last: String, status: Int32) throws {
    let result = try tool.shell("printf 'nonsense\n/no/such 99999999999999999999\n\(last)\n' | \"$signalbox\" symbolicate")
    #expect(result.status == status)
    let count = status == 3 ? 2 : 3
    let words = "signalbox: symbolicate: \(count) of 3 lines are no IMAGE OFFSET; the first is line 1: nonsense\n"
    #expect(result.text == "?\n?\n?\n" + words)
  }

  @Test("Wrong use of symbolicate ends with 64")
  func wrongUsageIs64() throws {
    let result = try tool.run("symbolicate", "file")
    #expect(result.status == 64 && result.text.contains("places are read from standard input"))
    #expect(try tool.run("symbolicate", "--help").text == SymbolicateOptions.help)
    #expect(try tool.run("--help").text.contains("symbolicate"))
  }

  @Test("run and env pass on where the command is")
  func runAndEnvSayWhereTheCommandIs() throws {
    let run = try tool.run("run", "--", "sh", "-c", "echo \"$SIGNALBOX_TOOL\"")
    #expect(run.text.split(separator: "\n").last?.hasSuffix("/signalbox") == true)
    let env = try tool.shell("unset LD_LIBRARY_PATH; eval \"$(\"$signalbox\" env)\"; \"$SIGNALBOX_TOOL\" --help | head -n 1")
    #expect(env.text == "usage: signalbox COMMAND [OPTIONS]\n")
  }
}
