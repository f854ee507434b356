// TokenTests.swift: tokens: a failure is replayed from its token, saved beside the test, tried first, and dropped when it is mended; a
// crash tells its token. In processes of their own: the environment and the folders are theirs.
import Glibc
import SignalboxExplore
import SignalboxFoundation
import SignalboxSystem
import Testing

@Suite("Tokens of schedules that fail", .serialized) struct TokenTests {
  /// A body that fails under some schedules, unless it is mended; it goes on as if it stood in the file `source`.
  private static func run(_ source: StaticString, isMended: Bool = false, schedules: Int = 3_000) throws -> ExploreFailure? {
    do {
      try explore(schedules: schedules, file: source, function: "body()", line: 7) {
        if !isMended { crossTwoQueues() }
      }
      return nil
    } catch let failure as ExploreFailure { return failure }
  }

  @Test("A failure is replayed by its token alone, in another process as well") func replay() async throws {
    let failure = try #require(try Self.run("/nowhere/Replay.swift"))
    let token = failure.token
    await #expect(processExitsWith: .success) { [token = token as String] in
      setenv("SIGNALBOX_EXPLORE_REPLAY", token, 1)
      let again = try #require(try Self.run("/nowhere/Replay.swift", schedules: 1))
      try #require(again.kind == .deadlock)
      try #require(again.schedules == 0)
      try #require(again.token == token)
    }
  }

  @Test("A failure is shown at the line of the call, where the test expects that nothing is thrown") func place() async {
    let above = #_sourceLocation.line
    withKnownIssue {
      #expect(throws: Never.self) { try explore(schedules: 3_000, file: "/nowhere/Place.swift") { crossTwoQueues() } }
    } matching: { issue in
      issue.sourceLocation?.line == above + 2 && "\(issue)".contains("deadlock")
    }
    await withKnownIssue {
      await #expect(throws: Never.self) {
        try await explore(schedules: 3_000, file: "/nowhere/Place.swift") {
          await Task.yield()
          crossTwoQueues()
        }
      }
    } matching: { issue in
      issue.sourceLocation?.line == above + 7 && "\(issue)".contains("deadlock")
    }
  }

  @Test("A token that is damaged is refused") func damaged() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_EXPLORE_REPLAY", "xp1:none", 1)
      #expect(throws: ExploreTrouble.self) { try Self.run("/nowhere/Damaged.swift") }
    }
  }

  @Test("A failure is saved beside the test, tried first the next time, and dropped when it no longer fails") func saved()
    async throws
  {
    await #expect(processExitsWith: .success) {
      unsetenv("SIGNALBOX_EXPLORE_SAVE")
      let folder = "/tmp/explore-tokens"
      let tokens = folder + "/.signalbox/explore/Saved.swift-body__.tokens"
      try? Files.makeFolder(RawString(folder))
      // Its name is known when the test is built: another run of these tests waits until this process has ended.
      try #require(flock(open(folder + "/lock", O_CREAT | O_RDWR, 0o600), LOCK_EX) == 0)
      try? Files.removeFile(RawString(tokens))
      let first = try #require(try Self.run("/tmp/explore-tokens/Saved.swift"))
      let text = try #require(Files.text(RawString(tokens)))
      try #require(text == "\(first.token) 7 deadlock\n")
      // One schedule would not find it.
      let second = try #require(try Self.run("/tmp/explore-tokens/Saved.swift", schedules: 1))
      try #require(second.kind == .deadlock)
      try #require(second.schedule == nil)
      try #require(try Self.run("/tmp/explore-tokens/Saved.swift", isMended: true) == nil)
      try #require(Files.text(RawString(tokens)) == nil)
    }
  }

  @Test("A body that crashes tells the schedule's token, which crashes again", .enabled(if: !isSanitized)) func crash()
    async throws
  {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try explore(schedules: 3_000, file: "/nowhere/Crash.swift", function: "body()", line: 9) {
          precondition(countLateMember() == 1)
        }
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("explore: the body crashed by signal "))
    #expect(text.contains("under a schedule of body(), /nowhere/Crash.swift:9"))
    #expect(text.contains("SIGNALBOX_EXPLORE_REPLAY=xp1:"))
  }
}
