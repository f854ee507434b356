// WorkshopWordTests.swift: the built workshop's command line: help in both forms, one status for wrong usage, what a pattern means.
import SignalboxSystem
import Testing

@Suite("The built workshop's command line") struct WorkshopWordTests {
  /// What the workshop prints, on both streams, and its status.
  private func workshop(_ arguments: String...) throws -> (text: String, status: Int32?) { try workshop(arguments) }

  private func workshop(_ arguments: [String]) throws -> (text: String, status: Int32?) {
    let tests = try Files.realPath("/proc/self/exe").description
    let file = tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)] + "signalbox-workshop"
    let printed = try Programs.output(
      of: RawString(String(file)), arguments: (["signalbox-workshop"] + arguments).map { RawString($0) },
      environment: ProcessInput.environment, seconds: 500)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }

  @Test(arguments: ["bench", "lab"])
  func helpIsTheSameInBothForms(word: String) throws {
    let (asked, option) = (try workshop("help", word), try workshop(word, "--help"))
    #expect(asked.text == option.text && asked.status == 0 && option.status == 0)
    #expect(asked.text.hasPrefix("usage: signalbox \(word)"))
  }

  /// Each is wrong in another way.
  @Test(arguments: [
    ["no-such-command"], ["bench", "--no-such-option"], ["bench", "--runs", "0"], ["lab"], ["lab", "--no-such-option"],
    ["lab", "run"], ["lab", "run", "no-such-scenario"], ["lab", "list", "--all"],
  ])
  func wrongUsageHasOneStatus(arguments: [String]) throws {
    let result = try workshop(arguments)
    #expect(result.status == 64, "\(result.text)")
    #expect(result.text.hasPrefix("signalbox: ") && result.text.split(separator: "\n").count == 1, "\(result.text)")
  }

  @Test func theLabListsWhatAPatternMeans() throws {
    func names(_ result: (text: String, status: Int32?)) -> [Substring] {
      // A scenario's line begins with two spaces; so does the page of a subject.
      result.text.split(separator: "\n").filter {
        $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  documentation/")
      }
      .compactMap { $0.split(separator: " ").first }
    }
    let all = names(try workshop("lab", "list"))
    for (pattern, isMeant) in [
      ("mutex", { $0.contains("mutex") }), ("*-order", { $0.hasSuffix("-order") }),
      ("mutex|*-order", { $0.contains("mutex") || $0.hasSuffix("-order") }),
    ] as [(String, (Substring) -> Bool)] {
      let found = names(try workshop("lab", "list", pattern))
      #expect(found == all.filter(isMeant) && !found.isEmpty && found.count < all.count)
    }
    let none = try workshop("lab", "list", "no-such-scenario")
    #expect(none.status == 2 && none.text.hasPrefix("signalbox: lab: no scenario matches"))
  }
}
