// FoundationLockTests.swift: the order of Foundation's locks in a program that knows nothing of us, under `signalbox run`
// (Probes/Reports).
import SignalboxSystem
import Testing

@Suite("Foundation's locks in contradicting orders") struct FoundationLockTests {
  private func text(_ deed: String, _ mode: RawString = "report", status: Int32 = 0) throws -> String {
    let run = try Run("ReportProbe", deed, changes: ["SIGNALBOX_LOCK_ORDER": mode])
    #expect(run.status == status, "\(run.text)")
    return run.text
  }

  @Test("Two threads that take two NSLocks in both orders are reported once, with where the locks were made and taken")
  func threads() throws {
    let text = try text("locks")
    #expect(
      text.contains(
        #/lock order: NSLock made in (Vault\.init|contradictLocks)\(\) .*\(pthread mutex 0x[0-9a-f]+\) is asked for while NSLock made in/#
      ))
    for function in ["countNotesFirst(_:)", "countCoinsFirst(_:)"] { #expect(text.contains(function), "\(text)") }
    #expect(text.ranges(of: "is asked for while").count == 1, "\(text)")
  }

  @Test("So are two items, whichever threads run them")
  func items() throws {
    let text = try text("lockitems")
    #expect(text.ranges(of: "is asked for while").count == 1, "\(text)")
  }

  @Test("With stop the program ends")
  func stop() throws {
    #expect(try text("locks", "stop", status: 134).contains("is asked for while"))
  }

  @Test(
    "Attempts, limits, recursion, conditions, locks that come and go and locks used as signals are no contradictions; errno is kept"
  )
  func healthy() throws {
    let text = try text("welllocks")
    #expect(text.contains("well used, errno 42\n") && !text.contains("lock order") && !text.contains("still holds"), "\(text)")
  }

  @Test("Without the variable there is no report")
  func off() throws {
    let text = try text("locks", "off")
    #expect(!text.contains("lock order"), "\(text)")
  }
}
