// ReadingTests.swift: programs that were not prepared are read from outside, and the answer is what they do; who may not read gets the cure.
import Glibc
import SignalboxTestSupport
import SignalboxView
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("Processes that are read") struct ReadingTests {
  @Test("A deadlock in a program that was not prepared")
  func deadlock() throws {
    let program = try InspectedProgram(["deadlock"], isPrepared: false)
    let inspection = try program.inspectDeadlock()
    let cycle = try #require(inspection.cycles.first)
    #expect(inspection.cycles.count == 1 && cycle.isCertain && cycle.threads.count == 2)
    let one = try #require(inspection.onQueue("probe.one").first), other = try #require(inspection.onQueue("probe.other").first)
    #expect(Set(cycle.threads) == [one.id, other.id])
    #expect(one.wait?.because == "held" && one.wait?.holders == [other.id] && other.wait?.holders == [one.id])
    #expect(one.wait?.kind == "mutex" && one.wait?.isLimited == false && (one.wait?.seconds ?? -1) >= 0)
    let queue = try inspection.queue("probe.one")
    #expect(queue.kind == "serial" && queue.owner == one.id && queue.isCounted && queue.pending == 0 && queue.done == 1)
    #expect(inspection.queues.contains { $0.address == queue.target && $0.kind == "global" })
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    #expect(places.lines(one.stack).contains { $0.contains("Probe.deadlock()") }, "\(places.lines(one.stack))")
    #expect(one.runs?.kind == "async")
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    for part in [
      "deadlock: 2 threads wait for one another, forever", "thread \(one.id) on queue \"probe.one\" waits for",
      "not read: for how long items run, and the oldest wait in queues: a process that is started with SIGNALBOX_INSPECT=1",
    ] { #expect(text.contains(part), "\(text)") }
  }

  /// What the threads of the probe's `waits` wait for, and why. Those that hold something wait for a semaphore.
  private static let everyWait: [String] = [
    "unfair lock: held", "mutex: held", "recursive mutex: held", "error-checking mutex: held",
    "reader-writer lock, for writing: inside", "reader-writer lock, for reading: held", "reader-writer lock, for reading: held",
    "once: held", "condition: anyone", "queue: held", "queue, for an item's end: held", "queue: stopped", "queue: stopped",
    "queue, as a barrier: inside", "queue, for an item's end: main thread", "work item: held", "group: anyone",
  ]

  @Test("Waits of each kind, and why each lasts; names")
  func waits() throws {
    let program = try InspectedProgram(["waits"], isPrepared: false)
    func kinds(_ inspection: Inspection) -> [String] {
      inspection.threads.compactMap { $0.wait.map { "\($0.kind): \($0.because)" } }.filter { $0 != "semaphore: anyone" }
        .sorted()
    }
    let read = try program.inspect(until: { kinds($0) == Self.everyWait.sorted() })
    #expect(kinds(read) == Self.everyWait.sorted())
    let names = Set(read.threads.compactMap { thread in thread.wait?.name.map { "\(thread.wait?.kind ?? ""): \($0)" } })
    #expect(
      names == [
        "mutex: probe mutex", "group: probe group, with a name that does not fit in two words", "semaphore: probe semaphore",
      ])
  }

  @Test("A queue that a program has made and never used")
  func only() throws {
    let queue = try InspectedProgram(["only"], isPrepared: false).inspect().queue("probe.only")
    #expect(queue.kind == "serial" && queue.isCounted && queue.pending == 0 && queue.done == 0)
  }

  @Test("Queues that come and go while they are read are each one or the other, whole; those that stay are always there, once")
  func churn() throws {
    let program = try InspectedProgram(["churn"], isPrepared: false)
    let stays = (0..<20).map { "churn.stays.\($0)" }
    let names = Set(stays + ["churn.0", "churn.1", "com.apple.main-thread"]), kinds = ["serial", "global", "main"]
    for _ in 0..<1_000 {
      let queues = try program.inspect().queues
      for queue in queues {
        #expect(names.contains(queue.label) || queue.label.hasPrefix("com.apple.root."), "\(queue)")
        #expect(kinds.contains(queue.kind) && queue.pending <= 2 && queue.done <= 2, "\(queue)")
      }
      #expect(queues.map(\.label).filter { $0.hasPrefix("churn.stays.") }.sorted() == stays.sorted())
      #expect(Set(queues.map(\.address)).count == queues.count, "a queue is shown once")
    }
  }

  @Test("Mutexes of the C library: the cycle is suspected")
  func foreign() throws {
    let program = try InspectedProgram(["foreign"], isPrepared: false)
    let inspection = try program.inspectDeadlock()
    let cycle = try #require(inspection.cycles.first)
    #expect(inspection.cycles.count == 1 && !cycle.isCertain && cycle.threads.count == 2)
    let waits = inspection.threads.filter { cycle.threads.contains($0.id) }.compactMap(\.wait)
    #expect(waits.count == 2 && waits.allSatisfy { $0.kind == "pthread mutex" && $0.because == "held" })
  }

  @Test("The child of a fork")
  func fork() throws {
    let program = try InspectedProgram(["fork"]), child = try #require(Int32(program.line))
    defer { kill(child, SIGKILL) }
    let process = try InspectedProcess(child)
    #expect(throws: InspectRefusal.self) { try process.inspect() }
    do { _ = try process.inspect() } catch {
      #expect(error.message.contains("is the child of a fork, of which nothing is known"))
    }
    #expect(try program.inspect().cycles.isEmpty)
  }

  @Test("A copy of Signalbox in the program and one that runs it are each read")
  func copies() throws {
    let program = try InspectedProgram(
      ["tasks"], isPrepared: false, before: [InspectedProgram.programs + "signalbox", "run", "--"])
    let process = try InspectedProcess(program.child.id), deadline = Clock.uptime() + 60_000_000_000
    var inspections = try process.inspect()
    // The task is a job in a queue that the toolchain's runtime has made.
    let tasks = "Swift global concurrent queue"
    func isThere() -> Bool {
      inspections.count == 2 && inspections.contains { !$0.onQueue(tasks).isEmpty }
        && inspections.contains { !$0.onQueue("probe.long").isEmpty }
    }
    while !isThere(), Clock.uptime() < deadline { inspections = try process.inspect() }
    try #require(isThere(), "\(inspections)")
    let linked = try #require(inspections.first { $0.copy.hasSuffix("InspectProbe") })
    let other = try #require(inspections.first { !$0.copy.hasSuffix("InspectProbe") })
    #expect(!linked.onQueue("probe.long").isEmpty && linked.onQueue(tasks).isEmpty)
    #expect(other.onQueue("probe.long").isEmpty && !other.onQueue(tasks).isEmpty)
  }

  @Test("A process that has become another program since is noticed")
  func exec() throws {
    let program = try InspectedProgram(["later"], isPrepared: false)
    let live = try LiveProcess(try #require(OtherProcess(program.child.id)))
    #expect(!live.isAnotherProgram)
    kill(program.child.id, SIGTERM)
    #expect(eventually { live.isAnotherProgram })
    #expect(eventually { (try? InspectedProcess(program.child.id).inspect())?.first?.onQueue("probe.long").count == 1 })
  }

  @Test("A stopped process is read")
  func stopped() throws {
    let program = try InspectedProgram(["deadlock"])
    _ = try program.inspectDeadlock()
    kill(program.child.id, SIGSTOP)
    let inspections = try InspectedProcess(program.child.id, patience: 1_000_000_000).inspect()
    #expect(inspections.first?.source == "memory" && inspections.first?.cycles.count == 1)
    kill(program.child.id, SIGCONT)
  }

  @Test("A program that has not used Signalbox")
  func without() throws {
    let unused = try InspectedProgram(["unused"])
    do { _ = try InspectedProcess(unused.child.id).inspect() } catch {
      #expect(error.message.hasPrefix("process \(unused.child.id) (InspectProbe) has not used Signalbox yet"), "\(error)")
    }
    #expect(throws: InspectRefusal.self) { try InspectedProcess(unused.child.id).inspect() }
  }

  // MARK: who may not

  /// Runs a command line as a user without rights; what it printed on both outputs.
  private func asNobody(_ line: String) throws -> String {
    let all = "exec setpriv --reuid=65534 --regid=65534 --clear-groups -- bash -c \"$1\" 2>&1"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(all), "bash", RawString(line)], environment: [], seconds: 500)
    return String(decoding: printed.bytes, as: UTF8.self)
  }

  /// Whether this process may become such a user, and that one run the programs.
  private static let nobodyCanRun: Bool = {
    let line =
      "setpriv --reuid=65534 --regid=65534 --clear-groups -- test -x '\(InspectedProgram.programs)InspectProbe' && echo yes"
    let printed = try? Programs.output(of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [])
    return printed?.bytes.elementsEqual("yes\n".utf8) == true
  }()

  @Test("A process that hides from its user is not read by that one", .enabled(if: nobodyCanRun))
  func hidden() throws {
    let programs = InspectedProgram.programs
    // Its threads may not sleep yet where the machine is busy: it is asked until it says what is wanted, or a hundred times.
    func line(_ mode: String, _ wanted: String) -> String {
      "cd /tmp; coproc '\(programs)InspectProbe' \(mode); id=$COPROC_PID; read -r line <&\"${COPROC[0]}\"; "
        + "for n in {1..100}; do text=$('\(programs)signalbox' inspect $id 2>&1); "
        + "case $text in *'\(wanted)'*) break;; esac; done; echo \"$text\"; kill -KILL $id"
    }
    let plain = try asNobody(line("deadlock", "deadlock: 2 threads wait"))
    #expect(plain.contains("deadlock: 2 threads wait for one another, forever"), "\(plain)")
    let hidden = try asNobody(line("undumpable", "cannot be read either"))
    #expect(
      hidden.contains(
        "Its memory cannot be read either: it hides its memory from its user (PR_SET_DUMPABLE): run the command as root"),
      "\(hidden)")
  }

  @Test("Where nobody may read memory, the cure is to run the command elsewhere", arguments: [EPERM, ENOSYS])
  func forbidden(_ error: Int32) async {
    await #expect(processExitsWith: .success) { [error = error as Int32] in
      let program = try InspectedProgram(["deadlock"], isPrepared: false)
      guard refuseReads(with: error) else { return Misuse.report("no filter is permitted") }
      do {
        _ = try InspectedProcess(program.child.id).inspect()
        Issue.record("it was read")
      } catch let refusal as InspectRefusal {
        #expect(
          refusal.message.hasSuffix(
            "takes no questions: start it with SIGNALBOX_INSPECT=1 in its environment. Its memory cannot be read either: nothing may read "
              + "memory here, as in a container whose seccomp profile refuses process_vm_readv: run the command outside of it, or start "
              + "the process with SIGNALBOX_INSPECT=1"), "\(refusal.message)")
      }
    }
  }

  @Test("Why memory cannot be read, by what the kernel shows; and the cure")
  func hindrances() {
    func found(own: Bool = true, hidden: Bool = false, yama: Int = 0) -> OtherMemory.Hindrance {
      OtherMemory.hindrance(ownMemoryIsReadable: own, isHidden: hidden, yama: yama)
    }
    #expect(found() == .other && found(yama: 2) == .yama(scope: 2) && found(hidden: true) == .hidden)
    #expect(found(hidden: true, yama: 1) == .hidden && found(own: false, hidden: true, yama: 1) == .forbidden)
    let error = SystemError(call: "process_vm_readv", code: EPERM), first = InspectRefusal(.notPrepared, "It says nothing")
    func text(_ hindrance: OtherMemory.Hindrance) -> String {
      InspectedProcess.refusal(first, error, hindrance).message
    }
    let begin = "It says nothing. Its memory cannot be read either: "
    #expect(
      text(.yama(scope: 1)) == begin
        + "the kernel lets no process but its parents read it (kernel.yama.ptrace_scope is 1): start it with SIGNALBOX_INSPECT=1, or run the "
        + "command as root")
    #expect(text(.yama(scope: 2)).contains("lets no user but root read it") && text(.yama(scope: 2)).hasSuffix("as root"))
    #expect(
      text(.yama(scope: 3))
        == begin + "the kernel lets no process read it (kernel.yama.ptrace_scope is 3): start it with SIGNALBOX_INSPECT=1")
    #expect(
      text(.forbidden).contains("a container whose seccomp profile refuses process_vm_readv: run the command outside of it"))
    #expect(text(.other) == begin + "the kernel refuses that: start it with SIGNALBOX_INSPECT=1, or run the command as root")
  }
}
