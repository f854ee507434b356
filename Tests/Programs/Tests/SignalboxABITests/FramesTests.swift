// FramesTests.swift: whose functions reports name in optimised programs without debug information, where closures are compiled into thunks:
// rows of Scripts/check-frames (Tests/Frames).
import SignalboxLaunch
import SignalboxSystem
import Testing

@Suite("Functions that reports of optimised programs name") struct FramesTests {
  enum Way: String, CaseIterable { case run, imported }

  /// What the program has written. It is ended after `seconds`, where a suspicion lets it go on.
  private static func report(_ way: Way, _ deed: String, options: String = "", seconds: Int = 100) throws -> String {
    if way == .run { return try Run("FramesProbe", deed, options: options, limit: seconds).text }
    let folder = try Built.folder()
    let line = "ulimit -c 0; timeout \(seconds) '\(folder)FramesImportedProbe' \(deed)"
    var environment = EnvironmentList(ProcessInput.environment)
    environment.set("SIGNALBOX_TOOL", RawString(folder + "signalbox"))
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line + " 2>&1")], environment: environment.entries, seconds: 500)
    return String(decoding: printed.bytes, as: UTF8.self)
  }

  private static func isNamed(_ function: String, in text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let words = line.drop { $0 == " " }.drop { $0.isNumber }
      return words.hasPrefix(" " + function)
    }
  }

  private static func runs(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("    runs: ") }
  }

  @Test(
    "Each thread's stack has the program's function, and what runs is its closure",
    arguments: Way.allCases,
    [("queue", "useQueues(_:)"), ("operation", "useOperation(_:)"), ("main", "useMainQueue(_:)")])
  func items(way: Way, row: (deed: String, function: String)) throws {
    let text = try Self.report(way, row.deed), closure = "closure #1 in \(row.function)"
    #expect(Self.isNamed(closure, in: text), "\(text)")
    let runs = Self.runs(text)
    #expect(!runs.isEmpty && runs.allSatisfy { $0.contains(" in \(row.function)") }, "\(text)")
    #expect(!text.contains("thunk for") && !text.contains("no function of the program"), "\(text)")
    let isMain = row.deed == "main"
    #expect(!isMain || !text.contains("a worker thread)"), "\(text)")
  }

  @Test("So is it on threads and in timers", arguments: Way.allCases, [("thread", "useThread(_:)"), ("loop", "useLoop(_:)")])
  func others(way: Way, row: (deed: String, function: String)) throws {
    let text = try Self.report(way, row.deed)
    #expect(Self.isNamed("closure #1 in \(row.function)", in: text) && Self.isNamed("Depot.takeTwice(_:)", in: text), "\(text)")
  }

  @Test("A thread in a lock of the C library runs the program's closure, not that lock")
  func lock() throws {
    let text = try Self.report(.run, "lock", options: "--watch=0.2", seconds: 5)
    #expect(Self.runs(text) == ["    runs: async: closure #1 in useLock(_:)"], "\(text)")
    #expect(Self.isNamed("Depot.lockTwice(_:)", in: text), "\(text)")
    let imported = try Self.report(.imported, "lock")
    #expect(Self.runs(imported) == ["    runs: async: closure #1 in useLock(_:)"], "\(imported)")
  }
}
