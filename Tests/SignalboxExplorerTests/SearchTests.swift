// SearchTests.swift: `signalbox explore --strategy exhaustive`, and what a run draws besides the order of its threads.
import SignalboxSystem
import Testing

@Suite("All schedules, and chances", .serialized) struct SearchTests {
  @Test("An exhaustive search says that all schedules are well", arguments: ["ordered", "sum", "checked-wait"])
  func all(_ word: String) throws {
    let call = try Call("--strategy exhaustive --seconds 60", word)
    #expect(call.status == 0 && call.text.contains(" schedules: none fails"), "\(call.text)")
  }

  @Test("An exhaustive search comes to the failure, and the token replays it", arguments: ["abba", "lost-update", "limit"])
  func failure(_ word: String) throws {
    let call = try Call("--strategy exhaustive --seconds 60", word)
    #expect(call.status == 1 && call.text.contains("(exhaustive)"), "\(call.text)")
    let again = try Call("--replay \(try #require(call.token))", word)
    #expect(again.status == 1 && !again.text.contains("not the run"), "\(again.text)")
  }

  @Test("It comes to the same number of schedules each time, and goes on after failures if it is told to") func keepsGoing()
    throws
  {
    let calls = try (0..<2).map { _ in try Call("--strategy exhaustive --keep-going", "lost-update") }
    for call in calls { #expect(call.status == 1 && call.text.contains(" schedules: "), "\(call.text)") }
    let counts = calls.map { call in
      call.text.split(separator: "\n").last { $0.hasPrefix("all ") }.map { $0.prefix { $0 != ":" } }
    }
    #expect(counts[0] != nil && counts[0] == counts[1])
  }

  @Test("A limit of time ends a search that is not through, and it does not say that these were all") func limited() throws {
    let begin = Clock.uptime()
    let call = try Call("--strategy exhaustive --seconds 1", "kinds")
    #expect(call.status == 0 && call.text.contains("(none failed)"), "\(call.text)")
    #expect(!call.text.contains("all ") && !call.text.contains("interrupted"), "\(call.text)")
    #expect(Clock.uptime() - begin < 120_000_000_000)
    let others = try Call("--runs 1000000000 --seconds 1", "condition")
    #expect(others.status == 0 && others.text.contains("(none failed)"), "\(others.text)")
    #expect(Clock.uptime() - begin < 240_000_000_000)
  }

  @Test("A program that goes on and on makes no progress, and what it repeats is shown") func endless() throws {
    let call = try Call("", "endless")
    #expect(call.status == 70 && call.text.contains("failure: no progress after "), "\(call.text)")
    let lines = call.text.split(separator: "\n").drop { $0 != "  again and again:" }.dropFirst().prefix { $0.hasPrefix("    ") }
    #expect(lines.map(\.first) == Array(repeating: " ", count: lines.count))
    for thread in ["thread 2", "thread 3"] {
      let own = lines.drop { $0 != "    \(thread):" }.dropFirst().prefix(3)
      for deed in ["lock mutex", "unlock mutex", "sleep"] {
        #expect(own.contains { $0.contains("\(deed)") && $0.contains("chances.c:") }, "\(call.text)")
      }
      #expect(lines.drop { $0 != "    \(thread):" }.dropFirst().prefix { $0.hasPrefix("      ") }.count == 3, "\(call.text)")
    }
  }

  @Test("It is no company for other strategies") func alone() throws {
    #expect(try Call("--strategy exhaustive --strategy pos", "abba").status == 64)
  }

  @Test("A wait that is not checked again is shown by one that ends for no reason") func noReason() throws {
    let call = try Call("--runs 2000", "unchecked-wait")
    #expect(call.status == 1 && call.text.contains("failure: exit status 3"), "\(call.text)")
    #expect(call.text.contains("woken for no reason"), "\(call.text)")
    let again = try Call("--replay \(try #require(call.token))", "unchecked-wait")
    #expect(again.status == 1 && !again.text.contains("not the run"), "\(again.text)")
  }

  @Test("Who looks up now and then, with nobody left to set what is waited for, is part of a deadlock") func inVain() throws {
    let call = try Call("", "in-vain")
    #expect(call.status == 70 && call.text.contains("failure: deadlock"), "\(call.text)")
    #expect(call.text.contains("with a time limit, in vain, again and again"), "\(call.text)")
    #expect(call.text.contains("which thread 1 \"main\" holds"), "\(call.text)")
  }

  @Test("With --faults a thread's start may fail; who has no answer to that is found, and the token replays it") func faults()
    throws
  {
    let found = try Call("--faults --seed 2", "starts-unchecked")
    #expect(found.status == 1 && found.text.contains("failure: exit status 10"), "\(found.text)")
    #expect(found.text.contains("cannot start a thread: the system has none left (EAGAIN)  chances.c:"), "\(found.text)")
    // The one fault is all that it takes.
    #expect(!found.text.contains(" stops before ") && !found.text.contains(" waits at "), "\(found.text)")
    let again = try Call("--replay \(try #require(found.token))", "starts-unchecked")
    #expect(again.status == 1 && again.token == found.token && !again.text.contains("not the run"), "\(again.text)")
  }

  @Test("Who has an answer to a start that fails is right, and without --faults none fails") func noFaults() throws {
    let answered = try Call("--faults --runs 300", "starts-checked")
    #expect(answered.status == 0 && answered.text.contains("(none failed)"), "\(answered.text)")
    let unasked = try Call("--runs 300", "starts-unchecked")
    #expect(unasked.status == 0 && unasked.text.contains("(none failed)"), "\(unasked.text)")
  }

  @Test("What is right is right whatever is drawn", arguments: ["checked-wait", "patient", "posix-timers", "alarm-posts"])
  func noFalseAlarm(_ word: String) throws {
    let call = try Call("--runs 300 --seed 4", word)
    #expect(call.status == 0 && call.text.contains("(none failed)"), "\(call.text)")
  }
}
