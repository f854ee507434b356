// ForkTests.swift: child processes: a fork may exec, may not use queues once its parent has; spawned programs get no
// mask of Signalbox's.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ForkTests {
    /// Makes the pool exist.
    static func useQueues() {
      let done = DispatchGroup()
      for queue in [DispatchQueue(label: "used"), .global()] { queue.async(group: done) {} }
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }

    /// Runs `body` as an item of a serial queue and waits for it on the calling thread.
    static func insideAnItem(_ body: @escaping @Sendable () -> Void) {
      let done = DispatchGroup()
      DispatchQueue(label: "worker").async(group: done) { body() }
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }

    @Test("A fork may exec, from any thread and from within an item")
    func exec() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        nonisolated(unsafe) let words = arguments(["/bin/sh", "-c", "exit 7"])
        ForkTests.useQueues()
        #expect(forked { execv(words[0]!, words) } == .exited(7))
        ForkTests.insideAnItem { #expect(forked { execv(words[0]!, words) } == .exited(7)) }
        DispatchQueue(label: "sync").sync { #expect(forked { execv(words[0]!, words) } == .exited(7)) }
        ForkTests.useQueues()
      }
    }

    @Test("A program is spawned from within an item")
    func spawn() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        ForkTests.insideAnItem { #expect(spawned(["/bin/sh", "-c", "exit 7"]) == .exited(7)) }
      }
    }

    @Test("Using a queue, a group or a semaphore in the fork stops the fork with a message, and not its parent")
    func use() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        ForkTests.useQueues()
        let (queue, group, semaphore) = (DispatchQueue(label: "shared"), DispatchGroup(), DispatchSemaphore(value: 1))
        let wide = DispatchQueue(label: "wide", attributes: .concurrent)
        let item = DispatchWorkItem {}
        let uses: [(String, () -> Void)] = [
          ("async", { queue.async {} }), ("sync", { queue.sync {} }), ("sync shared", { wide.sync {} }),
          ("barrier", { wide.sync(flags: .barrier) {} }), ("asyncAndWait", { queue.asyncAndWait {} }),
          ("global", { DispatchQueue.global().async {} }), ("new queue", { DispatchQueue(label: "new").async {} }),
          ("enter", { group.enter() }), ("wait", { semaphore.wait() }), ("signal", { semaphore.signal() }),
          ("item", { queue.async(execute: item) }), ("perform", { DispatchQueue.concurrentPerform(iterations: 2) { _ in } }),
          ("after", { queue.asyncAfter(deadline: .now() + 1) {} }), ("main", { DispatchQueue.main.async {} }),
        ]
        for (name, use) in uses { #expect(forked(use) == .killed(SIGABRT), "\(name)") }
        ForkTests.useQueues()
      }
      expectReport(
        result, saying: "is used in the child of a fork, where the worker threads do not exist: call exec in the child")
    }

    @Test("A fork made before the first use may use queues")
    func forkBeforeUse() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        #expect(forkedMain { ForkTests.useQueues() } == .exited(0))
        ForkTests.useQueues()
      }
    }

    /// What needs no thread but the calling one, which is the process's first.
    static let threadless: [(String, @Sendable () -> Void)] = [
      ("main.async", { DispatchQueue.main.async {} }),
      ("inactive timer", { _ = Unmanaged.passRetained(DispatchSource.makeTimerSource(queue: .main) as AnyObject) }),
      ("setSpecific", { DispatchQueue.main.setSpecific(key: DispatchSpecificKey<Int>(), value: 1) }),
      ("target", { _ = DispatchQueue(label: "on main", target: .main) }),
      ("one iteration", { DispatchQueue.concurrentPerform(iterations: 1) { _ in } }),
    ]

    @Test("A fork made before there is a thread may use queues, whatever was used", arguments: 0..<5)
    func forkWithoutThreads(place: Int) async {
      await #expect(processExitsWith: .success) { [place] in
        killOnHang()
        let use = ForkTests.threadless[place].1
        let ending = forkedMain {
          use()
          let inner = forked {
            ForkTests.useQueues()
            let ran = DispatchSemaphore(value: 0)
            DispatchQueue.main.async { ran.signal() }
            MainQueue.drain()
            precondition(ran.wait(timeout: .now()) == .success)
          }
          precondition(inner == .exited(0))
          // The parent has gone on, and has threads from here on: its next child has not.
          ForkTests.useQueues()
          precondition(forked { DispatchQueue.main.async {} } == .killed(SIGABRT))
        }
        #expect(ending == .exited(0))
      }
    }

    @Test("A child that marks itself may use queues unless its parent had threads that serve them")
    func marksItself() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        // A thread of Signalbox's that serves no queue. It has ended when the process forks: what a thread holds as it
        // ends, of the Swift runtime's, would stay held in the child.
        let before = KernelThread.all().count
        try! Threads.spawn {}
        awaitState("the end of the thread") { KernelThread.all().count <= before }
        let unused = forkedMain {
          ForkGuard.markChild()
          ForkTests.useQueues()
        }
        #expect(unused == .exited(0))
        ForkTests.useQueues()
        let used = forkedMain {
          ForkGuard.markChild()
          ForkTests.useQueues()
        }
        #expect(used == .killed(SIGABRT))
      }
    }

    /// A program that succeeds when no signal is blocked in it. No shell: some begin with clearing the mask.
    static let checkMask = ["/bin/grep", "-q", "^SigBlk:[[:space:]]*0*$", "/proc/self/status"]

    @Test("A program spawned from within an item has no signal blocked")
    func maskOfSpawned() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        ForkTests.insideAnItem { #expect(spawned(ForkTests.checkMask) == .exited(0)) }
      }
    }

    @Test("Signals that a thread blocks for a moment, while it makes another, are not taken for the program's mask")
    func passingMasks() {
      #expect(Threads.isPassing(mask: 0xFFFF_FFFF_FFFB_FEFF))  // as the C library sets it, read while a thread was made
      #expect(Threads.isPassing(mask: 1 << 31) && Threads.isPassing(mask: 1 << 32))
      // What a program may set: nothing, some, all.
      for mask in [0, 1 << 1, 1 << 16 | 1 << 13, 0xFFFF_FFFE_7FFB_FEFF] as [UInt64] { #expect(!Threads.isPassing(mask: mask)) }
    }

    @Test("A program exec'd by a fork from within an item has no signal blocked")
    func maskOfForked() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        nonisolated(unsafe) let words = arguments(ForkTests.checkMask)
        ForkTests.insideAnItem { #expect(forked { execv(words[0]!, words) } == .exited(0)) }
      }
    }
  }
}
