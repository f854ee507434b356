// CauseTests.swift: which findings of lock order have one cause: names without numbers, kinds, functions; in whatever order.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Findings of lock order with the same cause are reported once") struct CauseTests {
  @Test(
    "Numbers in names do not make different causes",
    arguments: [
      ("pool.12.reader.3", "pool.#.reader.#"), ("plain", "plain"), ("", ""), ("7", "#"), ("v2", "v#"), ("añb1", "añb#"),
      ("0x55d0f3a1", "#x#"), ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "#-C#C-#A-#FC-#"), ("facade", "facade"),
      ("a1b2c3d4", "#"),
      ("bead1", "bead#"), ("feed and face 5", "feed and face #"),
    ])
  func numbers(_ name: String, _ general: String) { #expect(LockOrderCause.withoutNumbers(name) == general) }

  private func finding(_ steps: [(held: String, wanted: String)], at place: UInt = 1) -> LockOrderFinding {
    func text(_ name: String) -> LockClassText { LockClassText(kind: .sync, name: name) }
    return LockOrderFinding(
      kind: .inversion,
      steps: steps.map { step in
        .init(
          place: .init(threadName: "", tid: 1, heldAt: [place], wantedAt: [place + 1]), held: text(step.held),
          wanted: text(step.wanted))
      })
  }
  private func cause(_ finding: LockOrderFinding) -> LockOrderCause { LockOrderCause(finding) { "\($0)" } }

  @Test("The cause is the same whichever order closed the cycle, and whichever locks of the names took part")
  func same() {
    let one = finding([("w.1", "r.1"), ("r.1", "w.1")]), other = finding([("r.22", "w.22"), ("w.22", "r.22")])
    #expect(cause(one) == cause(other))
  }

  @Test("Another name, function or kind is another cause")
  func others() {
    let one = cause(finding([("w.1", "r.1"), ("r.1", "w.1")]))
    #expect(cause(finding([("w.1", "s.1"), ("s.1", "w.1")])) != one)
    #expect(cause(finding([("w.1", "r.1"), ("r.1", "w.1")], at: 7)) != one)
    let level = finding([("w.1", "r.1"), ("r.1", "w.1")])
    #expect(cause(LockOrderFinding(kind: .level, steps: level.steps)) != one)
  }
}
