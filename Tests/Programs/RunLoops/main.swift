// main.swift: a Foundation program that lives on its run loop: timers, the main queue, modes, notification queues. What it
// prints is the same at every run. It knows nothing of Signalbox.
import Dispatch
import Foundation
import ProgramSupport

begin(patience: 120)

/// Runs the main loop until `holds`, or says that it never did.
@MainActor func runLoop(_ what: String, until holds: () -> Bool) {
  let end = Date(timeIntervalSinceNow: 30)
  while !holds() {
    if Date() > end {
      print("\(what): never")
      exit(3)
    }
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5))
  }
}

@MainActor func timers() {
  var fired: [String] = []
  let first = Timer.scheduledTimer(withTimeInterval: 0.06, repeats: false) { _ in
    MainActor.assumeIsolated { fired.append("late") }
  }
  let second = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
    MainActor.assumeIsolated { fired.append("early") }
  }
  var count = 0
  let repeating = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
    let isLast = MainActor.assumeIsolated {
      count += 1
      return count == 5
    }
    if isLast { timer.invalidate() }
  }
  repeating.tolerance = 0.001
  let never = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in
    MainActor.assumeIsolated { fired.append("never") }
  }
  never.invalidate()
  runLoop("timers") { fired.count == 2 && count == 5 }
  print("timers:", fired.joined(separator: " "), "and", count, "times;", first.isValid, second.isValid, repeating.isValid)
}

var turns = 0
@MainActor func turn() {
  DispatchQueue.global().async {
    DispatchQueue.main.async {
      turns += 1
      if turns < 200 { turn() }
    }
  }
}

@MainActor func mainQueue() {
  var order: [Int] = []
  for number in 0..<100 { DispatchQueue.main.async { order.append(number) } }
  runLoop("main queue") { order.count == 100 }
  print("main queue in order:", order == Array(0..<100))
  // Work that goes back and forth between the pool and the loop.
  turns = 0
  turn()
  runLoop("back and forth") { turns == 200 }
  print("back and forth:", turns)
  nonisolated(unsafe) var isSynced = false
  DispatchQueue.global().async {
    let isMain = DispatchQueue.main.sync { Thread.isMainThread }
    DispatchQueue.main.async { isSynced = isMain }
  }
  runLoop("sync onto main") { isSynced }
  print("sync onto main: on the main thread")
  var after: [Int] = []
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.04) { after.append(2) }
  DispatchQueue.main.asyncAfter(deadline: .now() + 0.01) { after.append(1) }
  runLoop("after") { after.count == 2 }
  print("after:", after)
}

@MainActor func operations() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 3
  let counter = NSLock()
  nonisolated(unsafe) var sum = 0
  for number in 1...100 { queue.addOperation { counter.withLock { sum += number } } }
  queue.waitUntilAllOperationsAreFinished()
  print("operations:", sum)
  var onMain = 0
  for _ in 0..<10 { OperationQueue.main.addOperation { MainActor.assumeIsolated { onMain += 1 } } }
  runLoop("main operations") { onMain == 10 }
  print("main operations:", onMain)
}

@MainActor func blocksAndModes() {
  nonisolated(unsafe) var performed: [String] = []  // by the main thread
  RunLoop.main.perform { MainActor.assumeIsolated { performed.append("block") } }
  RunLoop.main.perform(inModes: [.common]) { MainActor.assumeIsolated { performed.append("common") } }
  runLoop("blocks") { performed.count == 2 }
  print("blocks:", performed.sorted().joined(separator: " "))
  let thread = Thread {
    nonisolated(unsafe) var fired = 0
    let timer = Timer(timeInterval: 0.005, repeats: true) { timer in
      fired += 1
      if fired == 3 { timer.invalidate() }
    }
    RunLoop.current.add(timer, forMode: .default)
    while fired < 3 { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    DispatchQueue.main.async { performed.append("thread") }
  }
  thread.start()
  runLoop("a thread's loop") { performed.count == 3 }
  print("a thread's loop ended")
}

@MainActor func notifications() {
  let name = Notification.Name("told")
  var told: [String] = []
  let center = NotificationCenter.default
  let token = center.addObserver(forName: name, object: nil, queue: nil) { note in
    let text = (note.object as? NSString).map { String(describing: $0) } ?? "?"
    MainActor.assumeIsolated { told.append(text) }
  }
  let queue = NotificationQueue.default
  let text = "coalesced" as NSString
  for _ in 0..<5 { queue.enqueue(Notification(name: name, object: text), postingStyle: .asap) }
  queue.enqueue(Notification(name: name, object: "idle" as NSString), postingStyle: .whenIdle)
  queue.enqueue(Notification(name: name, object: "now" as NSString), postingStyle: .now)
  runLoop("notifications") { told.contains("idle") && told.contains("coalesced") }
  print("notifications:", told.joined(separator: " "))
  center.removeObserver(token)
}

@MainActor func all() {
  timers()
  mainQueue()
  operations()
  blocksAndModes()
  notifications()
}

all()
let before = Remains()
for _ in 0..<3 { all() }
before.compare("after three more rounds")
