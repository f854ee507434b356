// Served.swift: what lies on the main loop, each kind of it, and whether it was served.
import Glibc
import SignalboxFoundation
import SignalboxSystem

enum Served {
  /// A block that another thread leaves.
  static func block() async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { RunLoop.main.perform { continuation.resume(returning: place("block")) } }
    }
  }

  private static func place(_ what: String) -> String {
    "\(what): \(RunLoop.current === RunLoop.main && Thread.isMainThread ? "on the main loop" : "elsewhere")"
      + (RunLoop.current.currentMode == .default ? ", in the default mode" : "")
  }

  /// A timer is added on the first thread; the result waits for its third firing.
  static func timerAdded() -> @Sendable () async -> String {
    let (fires, told) = AsyncStream.makeStream(of: String.self)
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in told.yield(place("timer")) }
    return {
      var lines: [String] = []
      for await line in fires {
        lines.append(line)
        if lines.count == 3 { break }
      }
      return lines.joined(separator: "; ")
    }
  }

  static func rows() async -> [String] {
    var rows = [await block()]
    rows.append(
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          RunLoop.main.add(
            Timer(timeInterval: 0.01, repeats: false) { _ in continuation.resume(returning: place("timer of another thread")) },
            forMode: .common)
        }
      })
    rows.append(await moved())
    rows.append(
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          // Never nil: only a thread that has ended refuses.
          try? Thread.main.perform(waitUntilDone: true) { say(place("perform")) }
          continuation.resume(returning: "waited for")
        }
      })
    rows.append(await readable())
    rows.append(await notified(.asap))
    rows.append(await notified(.whenIdle))
    rows.append(await inOrder())
    return rows
  }

  /// A timer far ahead is moved to now by another thread.
  private static func moved() async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let timer = Timer(timeInterval: 100_000, repeats: false) { _ in continuation.resume(returning: place("moved timer")) }
        RunLoop.main.add(timer, forMode: .default)
        timer.fireDate = Date()
      }
    }
  }

  private static func readable() async -> String {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return "no pipe" }
    let (reader, writer) = (ends[0], ends[1])
    return await withCheckedContinuation { continuation in
      let input = RunLoopInput(descriptor: reader, for: .readable) {
        var byte: UInt8 = 0
        guard read(reader, &byte, 1) == 1 else { return }
        continuation.resume(returning: place("input"))
      }
      RunLoop.main.add(input, forMode: .default)
      kept = input
      var byte: UInt8 = 1
      _ = write(writer, &byte, 1)
    }
  }
  // SAFETY: written once, by the one row that has an input.
  nonisolated(unsafe) private static var kept: RunLoopInput?

  private static func notified(_ style: NotificationQueue.PostingStyle) async -> String {
    let name = Notification.Name("of the main loop \(style.rawValue)")
    return await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        let center = NotificationCenter.default
        _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in
          continuation.resume(returning: place("notification \(style.rawValue)"))
        }
        NotificationQueue.default.enqueue(Notification(name: name), postingStyle: style)
      }
    }
  }

  /// Blocks in the order in which they were left, and none of a mode in which nothing runs.
  private static func inOrder() async -> String {
    let (numbers, told) = AsyncStream.makeStream(of: Int.self)
    RunLoop.main.perform(inModes: [RunLoop.Mode("a mode that nothing runs")]) { told.yield(-1) }
    for number in 0..<1_000 { RunLoop.main.perform { told.yield(number) } }
    var last = -1
    for await number in numbers {
      guard number == last + 1 else { return "\(number) after \(last)" }
      last = number
      if last == 999 { break }
    }
    return "a thousand in order"
  }

  /// A timer is added, and the thread given to our dispatchMain.
  static func underDispatchMain() -> Never {
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
      say(place("timer"))
      exit(0)
    }
    dispatchMain()
  }

  /// A run of the loop within a job of the main actor: fires, serves a block of another thread, and ends at its date.
  static func nested() -> String {
    var seen: [String] = []
    // SAFETY: the timer's block runs within the run below, on this thread, as the other one does.
    nonisolated(unsafe) let note = { seen.append($0) }
    _ = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in
      note("timer")
      DispatchQueue.global().async { RunLoop.main.perform { note("block") } }
    }
    let end = Date(timeIntervalSinceNow: 20)
    while seen.count < 2, Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
    let short = Date(timeIntervalSinceNow: 0.01)
    RunLoop.current.run(until: short)
    return seen.joined(separator: ", ") + (Date() >= short ? ", until its date" : ", too soon")
  }

  /// The main thread waits for a queue whose item waits for the main queue; it sleeps first where `isFirst`: no call
  /// has asked which thread is the main one until then.
  static func waitCrosswise(isFirst: Bool) {
    let queue = DispatchQueue(label: "crosswise")
    let begun = Flag(), caller = UInt64(ThreadSlot.kernelID())
    queue.async {
      begun.raise()
      if isFirst { waitUntilAsleep(caller) }
      DispatchQueue.main.sync { say("the main queue's turn") }
    }
    begun.wait()
    if !isFirst { waitUntilAsleep(begun.raiser) }
    queue.sync { say("the queue's turn") }
  }

  /// Returns once the thread sleeps. It does so for good: it waits for the calling thread.
  private static func waitUntilAsleep(_ thread: UInt64) {
    while KernelThread.sample(thread)?.isAsleep != true { sched_yield() }
  }

  /// A word on which no thread sleeps.
  private final class Flag: Sendable {
    private let word = Atomic64(0)
    /// The thread that has raised it.
    var raiser: UInt64 { word.loadAcquire() }  // acquire: pairs with `raise`
    func raise() { word.storeRelease(UInt64(ThreadSlot.kernelID())) }  // release: pairs with `raiser`
    func wait() { while raiser == 0 { sched_yield() } }
  }
}
