// CommandWordTests.swift: the built command without a program to run: its version, its help, its one status for wrong usage.
import BenchSupport
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite struct CommandWordTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("The command's version is that of the change log")
  func theVersionIsThatOfTheChangelog() throws {
    let result = try tool.run("--version")
    #expect(result.text == "signalbox \(Version.number)\n" && result.status == 0)
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let changes = String(decoding: try FileBytes(RawString("/\(root)/CHANGELOG.md")).read(at: 0, count: 1_000), as: UTF8.self)
    let newest = changes.split(separator: "\n").first { $0.hasPrefix("## ") }
    #expect(newest?.contains(Version.number) == true)
  }

  static let words = ["run", "env", "symbolicate", "bench", "lab"]

  @Test("The command's help is the same by word and by option", arguments: words)
  func helpIsTheSameInBothForms(word: String) throws {
    let (asked, option) = (try tool.run("help", RawString(word)), try tool.run(RawString(word), "--help"))
    #expect(asked.text == option.text && asked.status == 0 && option.status == 0)
    #expect(asked.text.hasPrefix("usage: signalbox \(word)"))
  }

  @Test("The help lists all commands")
  func helpListsTheCommands() throws {
    let texts = try [tool.run(), tool.run("help"), tool.run("--help"), tool.run("-h")]
    for text in texts {
      #expect(text.text == texts[0].text && text.status == 0)
      for word in Self.words { #expect(text.text.contains("\n  \(word) ")) }
    }
  }

  /// Each is wrong in another way.
  @Test(
    "Every wrong use ends with the same status",
    arguments: [
      ["no-such-command"], ["--no-such-option"], ["help", "no-such-command"], ["help", "run", "env"], ["--version", "please"],
      ["--help", "run"], ["run"], ["run", "--no-such-option"], ["run", "--watch=soon", "--", "true"],
      ["env", "--no-such-option"],
      ["env", "word"], ["symbolicate", "word"], ["symbolicate", "--no-such-option"], ["bench", "--no-such-option"],
      ["bench", "--runs", "0"], ["lab"], ["lab", "--no-such-option"], ["lab", "run"], ["lab", "run", "no-such-scenario"],
      ["lab", "list", "--all"],
    ])
  func wrongUsageHasOneStatus(arguments: [String]) throws {
    let result = try tool.shell("\"$signalbox\" \(arguments.joined(separator: " ")) </dev/null")
    #expect(result.status == 64, "\(result.text)")
    #expect(result.text.hasPrefix("signalbox: ") && result.text.split(separator: "\n").count == 1, "\(result.text)")
  }

  @Test("The lab lists the scenarios that a pattern means")
  func theLabListsWhatAPatternMeans() throws {
    func names(_ result: (text: String, status: Int32?)) -> [Substring] {
      result.text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.compactMap { $0.split(separator: " ").first }
    }
    let all = names(try tool.run("lab", "list"))
    for (pattern, isMeant) in [
      ("mutex", { $0.contains("mutex") }), ("*-order", { $0.hasSuffix("-order") }),
      ("mutex|*-order", { $0.contains("mutex") || $0.hasSuffix("-order") }),
    ] as [(RawString, (Substring) -> Bool)] {
      let found = names(try tool.run("lab", "list", pattern))
      #expect(found == all.filter(isMeant) && !found.isEmpty && found.count < all.count)
    }
    let none = try tool.run("lab", "list", "no-such-scenario")
    #expect(none.status == 2 && none.text.hasPrefix("signalbox: lab: no scenario matches"))
  }
}
