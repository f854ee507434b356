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
    try program.readDeadlock()
    let inspection = try #require(try InspectedProcess(program.child.id).inspectOrRead().first)
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
      "read from outside, because it does not answer: start it with SIGNALBOX_INSPECT=1 to see more",
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

  @Test("What is read is what the process says itself", arguments: ["deadlock", "asleep", "waits"])
  func same(mode: String) throws {
    let program = try InspectedProgram([mode], adding: mode == "asleep" ? ["SIGNALBOX_MAX_THREADS": "2"] : [:])
    // A wait may be recorded again for a moment after its deadlock was reported: the reports before and after are the same.
    func stacks(_ inspection: Inspection) -> [Int: [Inspection.Place]] {
      Dictionary(inspection.threads.filter { $0.wait != nil }.map { ($0.id, $0.stack) }, uniquingKeysWith: { $1 })
    }
    // A thread gets its name, and what it runs, some time after it begins.
    func threads(_ inspection: Inspection) -> Set<[String]> {
      Set(inspection.threads.map { ["\($0.id)", $0.name, "\($0.isMain) \($0.isOwn)"] + $0.inside.map(\.queue) })
    }
    let waiting = mode == "asleep" ? 3 : mode == "waits" ? Self.everyWait.count + 10 : 2
    let deadline = Clock.uptime() + 60_000_000_000
    var answer = try program.inspect(), read = try program.read(), again = try program.inspect()
    while stacks(answer).count < waiting || stacks(answer) != stacks(again) || threads(answer) != threads(again),
      Clock.uptime() < deadline
    {
      (answer, read, again) = (again, try program.read(), try program.inspect())
    }
    #expect(answer.source == "" && read.source == "memory")
    if mode == "waits" {
      let found = read.threads.compactMap { $0.wait.map { "\($0.kind): \($0.because)" } }
      #expect(found.filter { $0 != "semaphore: anyone" }.sorted() == Self.everyWait.sorted())
      let names = Set(read.threads.compactMap { thread in thread.wait?.name.map { "\(thread.wait?.kind ?? ""): \($0)" } })
      #expect(
        names == [
          "mutex: probe mutex", "group: probe group, with a name that does not fit in two words", "semaphore: probe semaphore",
        ])
    }
    let said = Dictionary(answer.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    #expect(Set(read.threads.map(\.id)) == Set(said.keys))
    for thread in read.threads {
      let other = try #require(said[thread.id])
      #expect(thread.name == other.name && thread.isMain == other.isMain && thread.isOwn == other.isOwn)
      #expect(thread.wait?.kind == other.wait?.kind && thread.wait?.object == other.wait?.object, "\(thread) \(other)")
      #expect(thread.wait?.name == other.wait?.name, "\(thread) \(other)")
      #expect(thread.wait?.because == other.wait?.because && thread.wait?.holders == other.wait?.holders, "\(thread) \(other)")
      #expect(thread.inside.map(\.queue) == other.inside.map(\.queue) && thread.runs?.kind == other.runs?.kind)
      #expect(thread.runs?.function == other.runs?.function)
      if thread.wait != nil { #expect(thread.stack == other.stack) }
    }
    for queue in read.queues {
      guard let other = answer.queues.first(where: { $0.address == queue.address }) else {
        // A process lists the main queue from its first item on, another from when it is made.
        #expect(queue.kind == "main" && queue.label == "com.apple.main-thread", "\(queue)")
        continue
      }
      #expect(
        queue.label == other.label && queue.kind == other.kind && queue.owner == other.owner && queue.target == other.target)
      #expect(queue.qos == other.qos && queue.suspended == other.suspended && queue.isInactive == other.isInactive)
      if queue.kind != "global" { #expect(queue.pending == other.pending && queue.done == other.done, "\(queue) \(other)") }
    }
    #expect(Set(answer.queues.map(\.address)).isSubset(of: read.queues.map(\.address)))
    #expect(read.cycles.map(\.threads.count) == answer.cycles.map(\.threads.count))
  }

  @Test("10,000 queues and 500 threads are read soon")
  func crowd() throws {
    let program = try InspectedProgram(["crowd", "10000", "500"], isPrepared: false)
    let inspection = try program.read(until: { $0.threads.filter { $0.wait?.kind == "semaphore" }.count == 500 })
    #expect(inspection.threads.filter { $0.wait?.kind == "semaphore" }.count == 500 && inspection.cycles.isEmpty)
    try Crowd.expectSoon { _ = try program.read() }
  }

  @Test("A queue that a program has made and never used")
  func only() throws {
    let queue = try InspectedProgram(["only"], isPrepared: false).read().queue("probe.only")
    #expect(queue.kind == "serial" && queue.isCounted && queue.pending == 0 && queue.done == 0)
  }

  @Test("Queues that come and go while they are read are each one or the other, whole; those that stay are always there, once")
  func churn() throws {
    let program = try InspectedProgram(["churn"], isPrepared: false)
    let stays = (0..<20).map { "churn.stays.\($0)" }
    let names = Set(stays + ["churn.0", "churn.1", "com.apple.main-thread"]), kinds = ["serial", "global", "main"]
    for _ in 0..<1_000 {
      let queues = try program.read().queues
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
    let inspection = try program.readDeadlock()
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
    #expect(throws: InspectRefusal.self) { try process.read() }
    do { _ = try process.read() } catch { #expect(error.message.contains("is the child of a fork, of which nothing is known")) }
    #expect(try program.read().cycles.isEmpty)
  }

  @Test("A copy of Signalbox in the program and one that runs it are each read")
  func copies() throws {
    let program = try InspectedProgram(
      ["tasks"], isPrepared: false, before: [InspectedProgram.programs + "signalbox", "run", "--"])
    let process = try InspectedProcess(program.child.id), deadline = Clock.uptime() + 60_000_000_000
    var inspections = try process.read()
    // The task is a job in a queue that the toolchain's runtime has made.
    let tasks = "Swift global concurrent queue"
    func isThere() -> Bool {
      inspections.count == 2 && inspections.contains { !$0.onQueue(tasks).isEmpty }
        && inspections.contains { !$0.onQueue("probe.long").isEmpty }
    }
    while !isThere(), Clock.uptime() < deadline { inspections = try process.read() }
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
    #expect(eventually { (try? InspectedProcess(program.child.id).read())?.first?.onQueue("probe.long").count == 1 })
  }

  @Test("A stopped process is read")
  func stopped() throws {
    let program = try InspectedProgram(["deadlock"])
    _ = try program.inspectDeadlock()
    kill(program.child.id, SIGSTOP)
    let inspections = try InspectedProcess(program.child.id, patience: 1_000_000_000).inspectOrRead()
    #expect(inspections.first?.source == "memory" && inspections.first?.cycles.count == 1)
    kill(program.child.id, SIGCONT)
  }

  @Test("A program without Signalbox, and one that has not used it")
  func without() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["1000"])
    #expect(throws: InspectRefusal.self) { try InspectedProcess(sleeper.id).inspectOrRead() }
    do { _ = try InspectedProcess(sleeper.id).inspectOrRead() } catch {
      #expect(
        error.kind == .notPrepared && error.message.contains("does not use Signalbox: link it, or start the program with"))
    }
    let unused = try InspectedProgram(["unused"])
    do { _ = try InspectedProcess(unused.child.id).read() } catch {
      #expect(error.message.hasPrefix("process \(unused.child.id) (InspectProbe) has not used Signalbox yet"), "\(error)")
    }
    #expect(throws: InspectRefusal.self) { try InspectedProcess(unused.child.id).read() }
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
        "Its memory cannot be read either: it hides its memory from its user (PR_SET_DUMPABLE): start it with SIGNALBOX_INSPECT=1, or "
          + "run the command as root"), "\(hidden)")
  }

  @Test("Where nobody may read memory, the cure is to run the command elsewhere", arguments: [EPERM, ENOSYS])
  func forbidden(_ error: Int32) async {
    await #expect(processExitsWith: .success) { [error = error as Int32] in
      let program = try InspectedProgram(["deadlock"], isPrepared: false)
      guard refuseReads(with: error) else { return Misuse.report("no filter is permitted") }
      do {
        _ = try InspectedProcess(program.child.id).inspectOrRead()
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
      InspectedProcess.refusal(first, "process 1 (a)", error, hindrance).message
    }
    let begin = "It says nothing. Its memory cannot be read either: "
    #expect(
      text(.yama(scope: 1)) == begin
        + "the kernel lets nobody but its parents read it (kernel.yama.ptrace_scope is 1): start it with SIGNALBOX_INSPECT=1, or run the "
        + "command as root")
    #expect(text(.yama(scope: 2)).contains("lets nobody but root read it") && text(.yama(scope: 2)).hasSuffix("as root"))
    #expect(
      text(.yama(scope: 3))
        == begin + "the kernel lets nobody read it (kernel.yama.ptrace_scope is 3): start it with SIGNALBOX_INSPECT=1")
    #expect(
      text(.forbidden).contains("a container whose seccomp profile refuses process_vm_readv: run the command outside of it"))
    #expect(text(.other) == begin + "the kernel refuses that: start it with SIGNALBOX_INSPECT=1, or run the command as root")
    #expect(InspectedProcess.refusal(nil, "process 1 (a)", error, .other).kind == .notPermitted)
  }
}
