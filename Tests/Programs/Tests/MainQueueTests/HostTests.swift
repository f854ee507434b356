// HostTests.swift: two libraries, one main thread: every kind of work under every owner of the main thread. What the work is stands
// in Probes/HostWork. Scenarios of one library alone are MainQueueTests.swift.
import Glibc
import HostWork
import SignalboxTestSupport
import Testing

/// Who owns the main thread.
enum Owner: String, CaseIterable, Sendable {
  case asyncMain = "async-main"
  case theirDispatchMain = "their-dispatchMain"
  case ourDispatchMain = "our-dispatchMain"
  case runLoop = "run-loop"
  case descriptor
  /// Our dispatchMain(), called by an asynchronous main().
  case oursInAsyncMain = "ours-in-async-main"

  var probe: String { self == .asyncMain || self == .oursInAsyncMain ? "HostAsync" : "HostPlain" }
  /// The toolchain's dispatch_main() ends the first thread; Swift's runtime calls it, too.
  var keepsTheFirstThread: Bool { self != .asyncMain && self != .theirDispatchMain }
}

@Suite("Two libraries, one main thread", .serialized) struct HostTests {
  @Test("All work runs on the main thread, whoever owns it", arguments: Owner.allCases, Work.allCases)
  func table(_ owner: Owner, _ work: Work) throws {
    let run = try ProbeRun(owner.probe, owner.rawValue, work.rawValue)
    let wanted = owner.keepsTheFirstThread ? (work.bodies, 0) : (0, work.bodies)
    #expect(run.lines == ["\(wanted.0) on the first thread, \(wanted.1) on another"])
    #expect(run.status == 0)
  }

  @Test("All work runs in this very process, whose main thread is Swift Testing's", arguments: Work.allCases)
  func thisProcess(_ work: Work) async {
    let count = await withCheckedContinuation { continuation in work.run { continuation.resume(returning: $0.count) } }
    #expect(count == work.bodies)
  }

  @Test(
    "With a second copy of Signalbox in place of the toolchain's library it is the same, and the first thread stays",
    arguments: Owner.allCases, Work.allCases)
  func twoCopies(_ owner: Owner, _ work: Work) throws {
    let run = try ProbeRun("signalbox", "run", "--", ProbeRun.folder() + "/" + owner.probe, owner.rawValue, work.rawValue)
    #expect(run.lines == ["\(work.bodies) on the first thread, 0 on another"])
    #expect(run.status == 0)
  }

  @Test("An item of ours that gives the main thread to the other library takes our queue along", arguments: Work.allCases)
  func handOver(_ work: Work) throws {
    let run = try ProbeRun("HostPlain", "theirs-after-ours", work.rawValue)
    let counts = (run.lines.first ?? "").split(separator: " ").compactMap { Int($0) }
    #expect(counts.reduce(0, +) == work.bodies, "\(run.lines)")
    #expect(run.status == 0)
  }

  @Test("A main thread with nothing to do for either library is never switched to")
  func idle() throws {
    let owners = [Owner.ourDispatchMain, .descriptor, .runLoop]
    for (owner, run) in zip(owners, sideBySide(owners) { try ProbeRun($0.probe, $0.rawValue, "idle") }) {
      #expect(try run.get().lines == ["0 switches"], "\(owner)")
    }
  }

  @Test(
    "Items that are submitted while the process has no descriptor left run on the main thread",
    arguments: Owner.allCases.filter { $0.probe == "HostPlain" })
  func scarce(_ owner: Owner) throws {
    let run = try ProbeRun(owner.probe, owner.rawValue, "scarce")
    #expect(run.lines == ["all ran"])
    #expect(run.status == 0, "signal \(run.signal ?? 0)")
  }

  @Test("Without another library, too, a queue on the main one whose items submit the next lets a loop's drain end")
  func alone() throws {
    let run = try ProbeRun("HostAlone")
    #expect(run.lines == ["1000 items in 1000 drains"])
    #expect(run.status == 0)
  }

  @Test(
    "A sync onto our main queue from an item of the other one is stopped, wherever that runs",
    arguments: Owner.allCases.filter { $0.probe == "HostPlain" })
  func syncInside(_ owner: Owner) throws {
    let run = try ProbeRun(owner.probe, owner.rawValue, "sync-inside")
    #expect(run.signal == SIGABRT)
  }
}
