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
case "operation-queue": waitForQueueOfOperations()
case "operation-alone": waitForOperationThatNothingStarts()
case "operation-needed": waitForDependencyThatNothingStarts()
default:
  print(
    "misuse handled crash deadlock task order orders item condition lock operations operation-queue operation-alone operation-needed"
  )
}
