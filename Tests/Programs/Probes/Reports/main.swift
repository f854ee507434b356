// main.swift: a Swift program that knows nothing of Signalbox and does what is reported: the argument names it. Its functions have
// names of their own, for the reports' stacks.
import Dispatch
import Foundation

func leaveTooOften(_ group: DispatchGroup) { group.leave() }
func misuse() {
  let group = DispatchGroup()
  leaveTooOften(group)
  print("never")
}

final class Bank: Sendable {
  let accounts = DispatchQueue(label: "com.example.bank.accounts"), journal = DispatchQueue(label: "com.example.bank.journal")
  let one = DispatchSemaphore(value: 0), other = DispatchSemaphore(value: 0)

  func debit() -> Int {
    accounts.sync {
      one.signal()
      other.wait()
      return record()
    }
  }
  func record() -> Int { journal.sync { 1 } }
  func audit() -> Int {
    journal.sync {
      other.signal()
      one.wait()
      return balance()
    }
  }
  func balance() -> Int { accounts.sync { 2 } }
}

func deadlock() {
  let bank = Bank()
  DispatchQueue(label: "com.example.bank.requests").async { print("never \(bank.debit())") }
  print("never \(bank.audit())")
}

func askFromTask(_ bank: Bank) async -> Int { bank.debit() }
func deadlockOfATask() {
  let bank = Bank()
  Task { print("never \(await askFromTask(bank))") }
  print("never \(bank.audit())")
}

/// Each pair is taken in both orders, on two threads, one after the other; the program ends at once.
func contradict(pairs: Int) {
  for number in 0..<pairs {
    let writer = DispatchQueue(label: "pool.\(number).writer"), reader = DispatchQueue(label: "pool.\(number).reader")
    takeForWriting(writer, reader)
    let thread = Thread { takeForReading(reader, writer) }
    thread.start()
    while !thread.isFinished { usleep(100) }
  }
}
func takeForWriting(_ writer: DispatchQueue, _ reader: DispatchQueue) { writer.sync { reader.sync {} } }
func takeForReading(_ reader: DispatchQueue, _ writer: DispatchQueue) { reader.sync { writer.sync {} } }

/// The program has a handler of its own for the signal with which it is stopped.
func misuseHandled() {
  signal(SIGABRT) { _ in _ = write(STDERR_FILENO, "handled\n", 8) }
  misuse()
}

/// A crash that Signalbox has no part in.
func crash() {
  let missing: Int? = CommandLine.arguments.isEmpty ? 1 : nil
  print(missing!)
}

/// A work item lies in a suspended queue, and its group is waited for.
func waitForHeldItem() {
  let group = DispatchGroup(), queue = DispatchQueue(label: "held")
  queue.suspend()
  queue.async(group: group, execute: DispatchWorkItem { print("never") })
  group.wait()
}

// Waits of Foundation's own, which no thread ends.

func waitForCondition() {
  let condition = NSCondition()
  condition.lock()
  while true { condition.wait() }
}
func lockTwice() {
  let lock = NSLock()
  lock.lock()
  lock.lock()
  lock.unlock()
}
func waitForOperations() {
  let one = BlockOperation {}, other = BlockOperation {}
  one.addDependency(other)
  other.addDependency(one)
  let queue = OperationQueue()
  queue.addOperations([one, other], waitUntilFinished: false)
  one.waitUntilFinished()
}
func operationsInACycle() -> OperationQueue {
  let one = BlockOperation {}, other = BlockOperation {}
  (one.name, other.name) = ("fetch", "a name that is longer than fifteen bytes")
  one.addDependency(other)
  other.addDependency(one)
  let queue = OperationQueue()
  queue.addOperations([one, other], waitUntilFinished: false)
  return queue
}
func waitForQueueOfOperations() { operationsInACycle().waitUntilAllOperationsAreFinished() }
final class Report: Operation, @unchecked Sendable {}
func waitForOperationThatNothingStarts() {
  let report = Report()
  report.name = "monthly"
  report.waitUntilFinished()
}
func waitForDependencyThatNothingStarts() {
  let report = Report(), mail = BlockOperation {}
  (report.name, mail.name) = ("monthly", "mail")
  mail.addDependency(report)
  OperationQueue().addOperations([mail], waitUntilFinished: true)
}

// Foundation's locks.

struct Vault: Sendable { let coins = NSLock(), notes = NSLock() }
func countCoinsFirst(_ vault: Vault) { vault.coins.withLock { vault.notes.withLock {} } }
func countNotesFirst(_ vault: Vault) {
  vault.notes.lock()
  vault.coins.lock()
  vault.coins.unlock()
  vault.notes.unlock()
}
func onThread(_ body: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Thread {
    body()
    isDone.signal()
  }.start()
  isDone.wait()
}
func contradictLocks() {
  let vault = Vault()
  countCoinsFirst(vault)
  onThread { countNotesFirst(vault) }
  // One cause: another two, made at the same places.
  let other = Vault()
  countCoinsFirst(other)
  onThread { countNotesFirst(other) }
}
/// Two items of a global queue may run on one thread, and are two all the same.
func contradictLocksInItems() {
  let vault = Vault(), all = DispatchGroup()
  DispatchQueue.global().async(group: all) { countCoinsFirst(vault) }
  all.wait()
  DispatchQueue.global().async(group: all) { countNotesFirst(vault) }
  all.wait()
}
func useLocksWell() {
  let vault = Vault(), door = NSRecursiveLock(), bell = NSCondition(), gate = NSConditionLock(condition: 0)
  // One thread alone, in both orders, is no contradiction.
  countCoinsFirst(vault)
  countNotesFirst(vault)
  // One order, on many threads; a lock that is held already; attempts and waits with a limit, which add no order.
  let ordered = Vault()
  for _ in 0..<8 {
    onThread {
      door.withLock { door.withLock { countCoinsFirst(ordered) } }
      ordered.notes.lock()
      if ordered.coins.try() { ordered.coins.unlock() }
      if ordered.coins.lock(before: Date(timeIntervalSinceNow: 60)) { ordered.coins.unlock() }
      ordered.notes.unlock()
    }
  }
  // Locks that come and go at one address: each is another.
  for round in 0..<200 {
    let early = Vault()
    onThread { if round % 2 == 0 { countCoinsFirst(early) } else { countNotesFirst(early) } }
  }
  // A wait gives its lock back: what the thread that rings does under its own lock is no contradiction.
  nonisolated(unsafe) var hasRung = false
  let waiter = DispatchGroup()
  DispatchQueue.global().async(group: waiter) {
    bell.lock()
    while !hasRung { bell.wait() }
    bell.unlock()
    _ = gate.lock(whenCondition: 1, before: Date(timeIntervalSinceNow: 60))
    gate.unlock(withCondition: 2)
  }
  onThread {
    bell.withLock {
      hasRung = true
      bell.broadcast()
    }
    gate.lock()
    gate.unlock(withCondition: 1)
  }
  waiter.wait()
  // The order of items that one queue runs in turn is guarded by its turn.
  let guarded = Vault(), turns = DispatchQueue(label: "turns")
  turns.async { countCoinsFirst(guarded) }
  turns.async { countNotesFirst(guarded) }
  turns.sync {}
  // Used as a signal, a lock is given back by another thread.
  let signal = NSLock(), under = NSLock()
  signal.lock()
  under.withLock {}
  let signaller = Thread { signal.unlock() }
  signaller.start()
  while !signaller.isFinished { usleep(100) }
  errno = 42
  under.withLock {}
  print("well used, errno \(errno)")
}

// MARK: tasks

/// Continuations that no code resumes.
nonisolated(unsafe) var kept: [UnsafeContinuation<Int, Never>] = []
let keptLock = NSLock()

@inline(never) func lease() async -> Int {
  await withUnsafeContinuation { continuation in keptLock.withLock { kept.append(continuation) } }
}

@inline(never) func handle(_ request: Int) async -> Int {
  let connection = await lease()
  return connection + request
}

func forgetContinuations() {
  for request in 0..<5 { Task(name: "request \(request)") { await handle(request) } }
  dispatchMain()
}

/// Two tasks that await each other's values. Each begins once both are there.
func awaitEachOther() {
  final class Pair: @unchecked Sendable {
    // SAFETY: written before the first task is told to go on, through a queue.
    var one: Task<Int, Never>?, other: Task<Int, Never>?
  }
  let pair = Pair(), gate = DispatchQueue(label: "gate", attributes: .initiallyInactive)
  @Sendable func opened() async {
    await withUnsafeContinuation { continuation in gate.async { continuation.resume() } }
  }
  pair.one = Task(name: "one") {
    await opened()
    return await pair.other?.value ?? 0
  }
  pair.other = Task(name: "other") {
    await opened()
    return await pair.one?.value ?? 0
  }
  gate.activate()
  dispatchMain()
}

switch CommandLine.arguments.dropFirst().first {
case "misuse": misuse()
case "handled": misuseHandled()
case "crash": crash()
case "deadlock": deadlock()
case "task": deadlockOfATask()
case "order": contradict(pairs: 1)
case "orders": contradict(pairs: 20)
case "item": waitForHeldItem()
case "condition": waitForCondition()
case "lock": lockTwice()
case "operations": waitForOperations()
case "locks": contradictLocks()
case "lockitems": contradictLocksInItems()
case "welllocks": useLocksWell()
case "operation-queue": waitForQueueOfOperations()
case "operation-alone": waitForOperationThatNothingStarts()
case "operation-needed": waitForDependencyThatNothingStarts()
case "continuations": forgetContinuations()
case "values": awaitEachOther()
default:
  print(
    "misuse handled crash deadlock task order orders item condition lock locks lockitems welllocks operations operation-queue "
      + "operation-alone operation-needed continuations values"
  )
}
