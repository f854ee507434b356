// CommandWordTests.swift: the built command without a program to run: its version, its help, its one status for wrong usage;
// who does what it does not do itself.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("The command's version, help and status for wrong usage") struct CommandWordTests {
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

  static let words = [
    "demo", "run", "env", "explore", "summary", "view", "perfetto", "inspect", "watch", "top", "migrate", "bench", "lab",
    "symbolicate",
  ]

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
      ["env", "word"], ["symbolicate", "word"], ["symbolicate", "--no-such-option"],
    ])
  func wrongUsageHasOneStatus(arguments: [String]) throws {
    let result = try tool.shell("\"$signalbox\" \(arguments.joined(separator: " ")) </dev/null")
    #expect(result.status == 64, "\(result.text)")
    #expect(result.text.hasPrefix("signalbox: ") && result.text.split(separator: "\n").count == 1, "\(result.text)")
  }

  /// An installed command: whatever is called so beside it gets the words.
  @Test("What the command does not do itself, the program beside it does", arguments: ["bench", "lab"])
  func theNeighbourDoesTheRest(word: String) throws {
    let place = try TemporaryFolder()
    try place.copy(tool.path, as: "signalbox")
    #expect(try place.says("signalbox \(word)").hasSuffix("Scripts/build Benchmarks\nstatus 69\n"))
    try place.file("signalbox-workshop", "#!/bin/sh\necho \"the neighbour: $*\"\n", mode: 0o755)
    #expect(try place.says("signalbox \(word) --one two") == "the neighbour: \(word) --one two\nstatus 0\n")
  }

  /// A command where the build put it: the checkout's script gets the folder and the words.
  @Test(arguments: ["bench", "lab"], ["debug", "release"])
  func theCheckoutDoesTheRest(word: String, configuration: String) throws {
    let place = try TemporaryFolder(), folder = "build/a-linux/\(configuration)"
    _ = try place.says("/bin/mkdir -p \(folder) Scripts")
    try place.copy(tool.path, as: "\(folder)/signalbox")
    try place.file("Scripts/workshop", "#!/bin/sh\necho \"the script: $*\"\n", mode: 0o755)
    #expect(
      try place.says("\(folder)/signalbox \(word) --one two")
        == "the script: \(place(folder)) \(word) --one two\nstatus 0\n")
  }

  /// Nobody else's script: the folder must be one that a build makes.
  @Test("A program in another folder is not taken for that of a checkout")
  func otherPlacesAreNoCheckout() {
    #expect(Checkout.places(of: "/a/b/c/debug/signalbox")?.root == "/a")
    #expect(Checkout.places(of: "/a/b/c/debug/signalbox")?.folder == "/a/b/c/debug")
    #expect(Checkout.places(of: "/usr/local/x/bin/signalbox") == nil)
    #expect(Checkout.places(of: "/b/debug/signalbox") == nil)
  }
}

extension TemporaryFolder {
  /// What a shell's line prints in this folder, on both streams, and its status.
  fileprivate func says(_ line: String) throws -> String {
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString("PATH=.; cd '\(path)' && { \(line); } 2>&1; echo \"status $?\"")],
      environment: ProcessInput.environment, seconds: 500)
    return String(decoding: printed.bytes, as: UTF8.self)
  }
}
