// MisuseTests.swift: the column "C" of Differences/misuse.json, row by row: a C program under `signalbox run` does
// the deed (Probes/CMisuse), and ends by SIGABRT with a message, or goes on where the header says so.
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// One deed of the probe and what must come of it.
struct Deed: Sendable, CustomTestStringConvertible {
  let name: String
  /// Parts of the message.
  let message: [String]
  /// 134 is SIGABRT.
  var status: Int32 = 134
  /// Whether the program waits for the report's file.
  var readsReport = false

  init(_ name: String, stops message: String...) { (self.name, self.message) = (name, message) }

  /// A suspicion, which ends no program.
  init(_ name: String, suspects message: String...) {
    (self.name, self.message) = (name, ["suspected deadlock: "] + message + ["done\n"])
    (status, readsReport) = (0, true)
  }

  /// Answered by a return value, or without effect: the program ends well.
  init(fine name: String, says message: String...) {
    (self.name, self.message, status) = (name, message + ["done\n"], 0)
  }

  var testDescription: String { name }
}

@Suite("Misuse through the C face") struct MisuseTests {
  @Test("A misuse stops the program with a message, or has the outcome that the header names", arguments: deeds)
  func rows(_ deed: Deed) throws { try check(deed) }

  @Test("A call without effect is reported once")
  func once() throws {
    let lines = try Run("CMisuseProbe", "channel-resumed-too-often").text.split(separator: "\n")
    #expect(lines.filter { $0.contains("is not suspended") }.count == 1, "\(lines)")
  }

  @Test(
    "A wait that only its own thread could end gives one report, the certain one",
    arguments: ["wait-on-main-for-a-group", "group-behind-in-a-queue"])
  func oneReport(name: String) throws {
    let run = try #require(Self.runs[name]).get()
    #expect(run.text.split(separator: "\n").filter { $0.contains("deadlock: a thread waits") }.count == 1, "\(run.text)")
    #expect(!run.text.contains("suspected"), "\(run.text)")
  }

  @Test("Passing NULL stops the program with the function's name", arguments: absent)
  func names(_ deed: Deed) throws { try check(deed) }

  @Test("The table of misuse has every row that the probe can do")
  func allOfThem() throws {
    let listed = try Run("CMisuseProbe", "").text.split(separator: "\n").map(String.init).filter { !$0.contains(" ") }
    #expect(Set(listed) == Set((Self.deeds + Self.absent).map(\.name)))
  }

  /// Each deed's run: several at a time, all when the first is asked for.
  private static let runs: [String: Result<Run, any Error>] = {
    let all = deeds + absent
    let runs = sideBySide(all, width: 4) { deed in
      let file = "/tmp/signalbox-misuse-\(ProcessDescriptor.own)-\(UInt64.random(in: 0 ... .max)).json"
      defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-f", RawString(file)], environment: []) }
      return try Run("CMisuseProbe", deed.name, changes: deed.readsReport ? ["SIGNALBOX_DEADLOCK_JSON": RawString(file)] : [:])
    }
    return Dictionary(uniqueKeysWithValues: zip(all.map(\.name), runs))
  }()

  private func check(_ deed: Deed) throws {
    let run = try #require(Self.runs[deed.name]).get()
    #expect(run.status == deed.status, "\(run.text)")
    for part in deed.message { #expect(run.text.contains(part), "\(run.text)") }
    if deed.status != 0 {
      #expect(!run.text.contains("done\n") && !run.text.contains("never\n"), "\(run.text)")
      let words = ["misuse", "deadlock", "suspected deadlock"]
      #expect(words.contains { run.text.contains("signalbox (libdispatch.so): \($0): ") }, "\(run.text)")
    }
  }

  private static let deeds = objects + queues + shared + mains + deadlocks + extras + data

  private static let data = [
    Deed(fine: "channels-refused"), Deed(fine: "channels-told-of-errors"), Deed(fine: "channel-that-cannot-be-opened"),
    Deed(fine: "channel-resumed-too-often", says: "given an I/O channel that is not suspended: no effect"),
    Deed("channel-freed-suspended", stops: "I/O channel on descriptor", "is freed while suspended"),
    Deed(fine: "data-unmapped"), Deed(fine: "data-regions"), Deed(fine: "data-corrupt"),
    Deed(
      "data-in-no-format", stops: "dispatch_data_create_with_transform was given a format at 0x", "that is none of its own",
      "give one of the DISPATCH_DATA_FORMAT_TYPE constants"),
  ]

  private static let objects = [
    Deed("unbalanced-leave", stops: "misuse: group 0x", "left more often than entered", "needs an earlier enter()"),
    Deed("enter-overflow", stops: "the last one fits\n", "is entered 1073741823 times without a leave"),
    Deed(
      "semaphore-freed-below-its-start", stops: "created with the value 2 is freed with the value 1", "balance every wait()"),
    Deed(fine: "negative-semaphore"),
    Deed("once-inside-itself", stops: "dispatch_once was called with a token whose block is running on this very thread"),
    Deed("wait-for-a-plain-block", stops: "dispatch_block_wait was given a block that dispatch_block_create did not make"),
    Deed("job-of-an-unknown-runtime", stops: "lays out its jobs in a way that the library does not know"),
    Deed("over-resumed-source", stops: "a timer source on queue", "is resumed more often than suspended"),
    Deed("source-freed-suspended", stops: "a timer source on queue", "is freed while suspended"),
    Deed(fine: "source-retargeted-when-active"),
  ]

  private static let queues = [
    Deed("over-resume", stops: "queue \"over\" is resumed more often than suspended", "needs an earlier suspend()"),
    Deed("resume-of-an-inactive-queue", stops: "queue \"asleep\" is resumed more often", "starts with activate()"),
    Deed("suspend-overflow", stops: "queue \"sleepy\" is suspended more than 32767 times at once"),
    Deed("freed-suspended", stops: "queue \"gone\" is freed while suspended", "resume() first"),
    Deed("freed-inactive", stops: "queue \"asleep\" is freed while inactive", "activate it"),
    Deed("sync-onto-oneself", stops: "sync onto queue \"self\", from code that already runs on it", "\"self\" (sync)"),
    Deed("sync-onto-oneself-from-an-item", stops: "sync onto queue \"item\"", "\"item\" (item)"),
    Deed("wait-onto-oneself", stops: "sync onto queue \"self\", from code that already runs on it"),
    Deed("sync-through-a-target-chain", stops: "sync onto queue \"top\", whose target is queue \"base\""),
    Deed("barrier-inside-a-reader", stops: "sync onto queue \"rw\""),
    Deed(fine: "retarget-legacy"),
    Deed("retarget-with-target", stops: "queue \"fixed\" is retargeted after it was activated", "before activate()"),
    Deed("retarget-once-inactive", stops: "queue \"active\" is retargeted after it was activated", "before activate()"),
    Deed("target-cycle", stops: "\"second\" -> \"first\" -> \"second\"", "must form a tree"),
    Deed("failed-assertion", stops: "dispatch_assert_queue failed: expected to run on queue \"wanted\"", "no queue"),
    Deed(
      "failed-assertion-not", stops: "dispatch_assert_queue_not failed: expected not to run on queue \"unwanted\"",
      "running inside: \"unwanted\" (sync)"),
    Deed(
      "failed-assertion-barrier",
      stops: "dispatch_assert_queue_barrier failed: expected to run alone (as a barrier) on queue \"beside\""),
  ]

  private static let shared = [Deed(fine: "global-queues"), Deed(fine: "main-queue"), Deed(fine: "null-results")]

  private static let mains = [
    Deed(
      "wait-on-main-for-a-group", stops: "wants group 0x", "whose remaining members are items of the main queue",
      "use notify()"),
    Deed("wait-on-main-for-a-block", stops: "wants work item 0x", "which lies in the main queue", "use notify()"),
    Deed("sync-onto-main", stops: "sync onto queue \"com.apple.main-thread\"", "from the main thread"),
    Deed(
      fine: "semaphore-on-main", says: "the main thread has waited for a semaphore for 1 s while the main queue holds items"),
    Deed("main-off-the-main-thread", stops: "on a thread that is not the main one"),
    Deed("main-inside-an-item", stops: "is called from inside \"busy\" (sync)"),
  ]

  private static let deadlocks = [
    Deed(
      "two-queues-crosswise", stops: "deadlock: 2 threads wait for one another", "holds serial queue \"one\" and wants",
      "holds serial queue \"two\" and wants"),
    Deed("eight-queues-in-a-ring", stops: "deadlock: 8 threads", "\"ring 0\"", "\"ring 7\"", "make one of the calls async"),
    Deed("once-and-a-queue", stops: "deadlock: 2 threads", "wants once 0x", "wants serial queue \"asked for by once\""),
    Deed(
      "block-and-a-barrier", stops: "deadlock: 2 threads", "wants work item 0x",
      "wants concurrent queue \"shared\", whose readers must come out first"),
    Deed(
      "block-inside-itself", stops: "deadlock: a thread waits for itself", "and wants work item 0x",
      "whose block this thread runs"),
    Deed(
      "block-inside-itself-in-a-queue", stops: "deadlock: a thread waits for itself", "whose block this thread runs",
      "inside: an item of serial queue \"own\""),
    Deed(
      "group-behind-in-a-queue", stops: "deadlock: a thread waits for itself, for",
      "holds serial queue \"ahead\" and wants group 0x",
      "whose remaining members are items of the serial queue \"ahead\""),
    Deed(
      "group-behind-and-a-watchdog", suspects: "a thread waits for itself, unless",
      "holds serial queue \"ahead\" and wants group 0x",
      "member\nbehind\n"),
    Deed(
      "group-on-main-and-a-watchdog", suspects: "a thread waits for itself, unless",
      "whose remaining members are items of the main queue"),
    Deed("two-mutexes", suspects: "2 threads", "nothing has moved between two scans", "wants pthread mutex 0x"),
    Deed(
      "mutex-and-a-queue", suspects: "2 threads", "wants pthread mutex 0x", "wants serial queue \"with a mutex\"",
      "inside: an item of serial queue \"with a mutex\""),
    Deed("reader-again-behind-a-barrier", stops: "deadlock: a thread waits for itself", "wants concurrent queue \"again\""),
  ]

  /// Functions that no header declares.
  private static let extras = [
    Deed(fine: "workloop-order", says: "x1x2i1d1d2u1b1b2\n"),
    Deed(fine: "workloop-floor", says: "iunb\n"), Deed(fine: "workloop-floor-of-an-object", says: "iunb\n"),
    Deed(fine: "workloop-current"),
    Deed("sync-onto-a-workloop", stops: "sync onto workloop \"loop\"", "use asyncAndWait, or async"),
    Deed(
      "workloop-set-up-late",
      stops: "dispatch_workloop_set_qos_class_floor is called on workloop \"busy\" after it was activated"),
    Deed("workloop-percent", stops: "dispatch_workloop_set_cpupercent was given 101 percent", "give 1 to 100"),
    Deed("no-workloop", stops: "dispatch_workloop_set_qos_class was given queue \"plain\", which is no workloop"),
    Deed(
      "class-after-activation", stops: "dispatch_set_qos_class is called for serial queue \"active\" after it was activated"),
    Deed("class-of-a-group", stops: "dispatch_set_qos_class was given an object that runs nothing", "give a queue"),
    Deed(
      "width-of-a-serial-queue",
      stops: "dispatch_queue_set_width was given queue \"narrow\"", "create it with DISPATCH_QUEUE_CONCURRENT"),
    Deed("width-of-the-main-queue", stops: "dispatch_queue_set_width was given queue \"com.apple.main-thread\""),
    Deed("width-of-a-global-queue", stops: "dispatch_queue_set_width was given queue \"com.apple.root.default-qos\""),
    Deed("second-label", stops: "queue \"first\" is to get another label", "only a queue made without one"),
    Deed(fine: "queue-with-a-voucher", says: "with a voucher\n"),
    Deed("sync-onto-the-own-run-loop", stops: "sync onto queue \"mine\"", "its run loop's thread", "use async"),
    Deed("perform-of-another-queue", stops: "_dispatch_runloop_root_queue_perform_4CF was given queue \"plain\""),
    Deed("object-after-its-end", stops: "_os_object_alloc is retained after its last external reference was given back"),
    Deed("deallocated-queue", stops: "_os_object_dealloc was given an object that _os_object_alloc did not make"),
    Deed("thread-although-forbidden", stops: "_dispatch_prohibit_transition_to_multithreaded(true) has forbidden"),
    Deed("forbidden-too-late", stops: "_dispatch_prohibit_transition_to_multithreaded(true) is called after threads were made"),
    Deed(fine: "child-of-a-fork"),
    Deed(fine: "bug", says: "_dispatch_bug was called for line 12, with 34"),
    Deed(fine: "benchmark"),
  ]

  private static let absent = [
    Deed("unknown-attribute", stops: "a queue attribute was given that no dispatch_queue_attr function made"),
    Deed(fine: "source-arguments", says: "no source is made for signal 19", "use SIGCONT"),
    Deed(fine: "source-ends"),
    Deed("merge-into-a-timer", stops: "dispatch_source_merge_data is called on a timer source on queue"),
    Deed("cancel-and-wait-with-a-handler", stops: "a data add source on queue", "although it has a cancel handler"),
    Deed("mandatory-cancel", stops: "a data or source on queue", "is freed without having been cancelled"),
    Deed("null-queue", stops: "dispatch_async was given NULL where an object is needed"),
    Deed("null-queue-sync", stops: "dispatch_sync_f was given NULL"),
    Deed("null-block", stops: "dispatch_async was given NULL"),
    Deed("null-group", stops: "dispatch_group_enter was given NULL"),
    Deed("null-semaphore", stops: "dispatch_semaphore_signal was given NULL"),
    Deed("null-object", stops: "dispatch_release was given NULL"),
    Deed("null-source", stops: "dispatch_source_cancel was given NULL"),
    Deed("null-data", stops: "dispatch_data_create_subrange was given NULL"),
    Deed("null-channel", stops: "dispatch_io_close was given NULL"),
    Deed("null-channel-queue", stops: "dispatch_io_read was given NULL"),
    Deed("null-channel-handler", stops: "dispatch_io_read was given NULL"),
    Deed("null-bytes", stops: "dispatch_io_write was given NULL"),
    Deed("null-barrier", stops: "dispatch_io_barrier was given NULL"),
  ]
}
