// OptionsTests.swift: the command line of the lab: what is understood, what is refused and how.
import BenchSupport
import SignalboxLab
import Testing

@Suite("Options of the lab") struct LabOptionsTests {
  @Test("Each option of the lab is understood")
  func whatIsUnderstood() throws {
    #expect(try LabOptions(["list"]).action == .list([]))
    #expect(try LabOptions(["list", "lock", "*-order"]).action == .list([NameFilter("lock"), NameFilter("*-order")]))
    #expect(try LabOptions(["list", "--json"]).isJSON)
    #expect(try LabOptions(["--help"]).action == .help)
    #expect(try LabOptions(["run", "-h"]).action == .help)
    #expect(try LabOptions(["run", "serial-sync", "barrier-order"]).action == .run(["serial-sync", "barrier-order"]))
    #expect(try LabOptions(["run", "serial-sync", "serial-sync"]).action == .run(["serial-sync"]))
    #expect(try LabOptions(["inside", "serial-sync"]).action == .inside("serial-sync"))
    let all = Registry.all.map(\.name)
    #expect(try LabOptions(["run", "--all"]).action == .run(all))
    #expect(try LabOptions(["--all", "--json"]).action == .run(all))
  }

  @Test(
    "Options that contradict each other or do not exist are refused",
    arguments: [
      ([], "say what to do"), (["--al"], "unknown option --al"), (["runn"], "unknown word \"runn\""),
      (["run"], "run needs names"),
      (["run", "--all", "serial-sync"], "either names or --all"), (["list", "--all"], "--all is for run"),
      (["inside"], "needs one name"),
    ])
  func whatIsRefused(arguments: [String], message: String) {
    #expect { try LabOptions(arguments) } throws: { ($0 as? UsageError)?.message.contains(message) == true }
  }

  @Test("An unknown scenario gets suggestions of similar names")
  func anUnknownNameGetsSuggestions() {
    #expect { try LabOptions(["run", "serial-snyc"]) } throws: { error in
      let message = (error as? UsageError)?.message ?? ""
      return message.hasPrefix("there is no scenario \"serial-snyc\"; did you mean serial-sync")
    }
    #expect { try LabOptions(["run", "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"]) } throws: { error in
      (error as? UsageError)?.message.contains("signalbox lab list") == true
    }
  }

  @Test("The help names every article, with what is in it", arguments: Source.allCases) func articles(_ source: Source) {
    #expect(LabOptions.help.contains("\n  \(source.rawValue): \(source.content)\n"))
  }

  @Test("The help explains every member of the JSON")
  func helpExplainsEveryMemberOfTheJSON() {
    for member in [
      "name", "title", "subject", "page", "source", "row", "article", "documents", "articleErrs", "scale", "verdict",
      "measured", "message",
      "failures", "events", "seconds",
    ] {
      #expect(LabOptions.help.contains(member), "\(member)")
    }
  }
}
