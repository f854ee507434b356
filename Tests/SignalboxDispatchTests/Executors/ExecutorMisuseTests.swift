// ExecutorMisuseTests.swift: queues that cannot isolate an actor, and code that is not where its actor is. In child processes.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

private actor Vault {
  let queue: DispatchQueue
  private(set) var gold = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  init(on queue: DispatchQueue) { self.queue = queue }
  func add() { gold += 1 }
}

private actor Unchecked {
  let queue: DispatchQueue
  nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: queue) }
  init(on queue: DispatchQueue) { self.queue = queue }
  func add() {}
}

@Suite("Executors that are misused stop the program") struct ExecutorMisuseTests {
  @Test("A concurrent queue as an actor's executor stops the program") func concurrent() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      await Vault(on: DispatchQueue(label: "wide", attributes: .concurrent)).add()
    }
    expectStop(
      result, saying: "concurrent queue \"wide\" is the executor of an actor", "runs several jobs at the same time",
      "give the actor a serial queue", "Task(executorPreference:)")
  }

  @Test("A global queue as an actor's executor stops the program") func global() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      await Vault(on: .global(qos: .utility)).add()
    }
    expectStop(result, saying: "global queue \"com.apple.root.utility-qos\" is the executor of an actor")
  }

  @Test("So does one that was made an executor past the check, at its first job") func pastTheCheck() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      await Unchecked(on: DispatchQueue(label: "past", attributes: .concurrent)).add()
    }
    expectStop(result, saying: "concurrent queue \"past\" is the executor of an actor")
  }

  @Test("Assuming isolation elsewhere stops the program, and says where the code runs") func elsewhere() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let vault = Vault(on: DispatchQueue(label: "vault"))
      DispatchQueue(label: "street").sync { vault.assumeIsolated { _ in } }
    }
    expectStop(
      result, saying: "isolated to an actor on serial queue \"vault\" runs elsewhere", "running inside: \"street\" (sync)",
      "await a method of the actor")
  }

  @Test("Two actors whose jobs wait for each other's queue are reported by name") func deadlock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(UInt32(2 * patience))
      let (one, other) = (Bank(label: "one"), Bank(label: "other"))
      async let first: Void = one.transfer(to: other)
      async let second: Void = other.transfer(to: one)
      _ = await (first, second)
    }
    expectStop(
      result, saying: "deadlock: 2 threads wait for one another", "serial queue \"one\"", "serial queue \"other\"",
      "runs: a job of actor Bank:")
  }
}

private actor Bank {
  let queue: DispatchQueue
  private let arrived = DispatchSemaphore(value: 0)
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  init(label: String) { queue = DispatchQueue(label: label) }

  /// Holds its own queue, and wants the other's, which that one's job holds by then.
  func transfer(to other: Bank) {
    arrived.signal()
    other.meet()
    other.queue.sync {}
  }

  nonisolated func meet() { arrived.wait() }
}
