// LoopPairTests.swift: one thread, two loops: whoever waits in ours serves Foundation's, and the reverse.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer
private typealias StockLoop = Foundation.RunLoop
private typealias StockTimer = Foundation.Timer

/// What the threads of a test share; each value is changed by one of them.
// SAFETY: guarded by the lock.
private final class Held<Value>: @unchecked Sendable {
  private let lock = SignalboxFoundation.NSLock()
  private var held: Value
  init(_ value: Value) { held = value }
  var value: Value {
    get { lock.withLock { held } }
    set { lock.withLock { held = newValue } }
  }
}

/// Runs `body` on a plain thread and returns when it has ended.
func onOwnThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    try! Threads.spawn {
      body()
      continuation.resume()
    }
  }
}

@Suite("Signalbox's and Foundation's loops of a thread serve each other", .serialized) struct LoopPairTests {
  /// Who waits, and where.
  enum Wait: CaseIterable, Sendable {
    case ours, theirs, oursInTheirs, theirsInOurs

    /// Waits ten seconds at most, until `isDone`. Nested runs lie in a timer of the outer loop: one in a block of Foundation's
    /// loop makes the outer one lose its date, with or without us.
    func run(until isDone: @escaping @Sendable () -> Bool) {
      let end = Date(timeIntervalSinceNow: 10)
      func goesOn() -> Bool { !isDone() && Date() < end }
      switch self {
      case .ours: while goesOn(), RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2)) {}
      case .theirs: while goesOn(), StockLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2)) {}
      case .oursInTheirs:
        StockLoop.current.add(
          StockTimer(timeInterval: 0.001, repeats: false) { _ in Wait.ours.run(until: isDone) }, forMode: .default)
        Wait.theirs.run(until: isDone)
      case .theirsInOurs:
        Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in Wait.theirs.run(until: isDone) }
        Wait.ours.run(until: isDone)
      }
    }
  }

  @Test("Timers of both loops fire under either", arguments: Wait.allCases)
  func timers(_ wait: Wait) async {
    let fired = Held([false, false])
    await onOwnThread {
      Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in fired.value[0] = true }
      StockLoop.current.add(
        StockTimer(timeInterval: 0.02, repeats: false) { _ in fired.value[1] = true }, forMode: .default)
      // Keeps both loops from ending early.
      let keeper = Timer.scheduledTimer(withTimeInterval: 100, repeats: false) { _ in }
      wait.run { fired.value == [true, true] }
      keeper.invalidate()
    }
    #expect(fired.value == [true, true])
  }

  @Test("Blocks from another thread run under either", arguments: Wait.allCases)
  func blocks(_ wait: Wait) async {
    let count = Held(0)
    await onOwnThread {
      let loop = RunLoop.current
      let keeper = Timer.scheduledTimer(withTimeInterval: 100, repeats: false) { _ in }
      try! Threads.spawn {
        for _ in 0..<20 {
          sleepPlainly(milliseconds: 1)  // so that the loop falls asleep between
          loop.perform { count.value += 1 }
        }
      }
      wait.run { count.value == 20 }
      keeper.invalidate()
    }
    #expect(count.value == 20)
  }

  @Test("A descriptor of ours is served under either", arguments: Wait.allCases)
  func descriptors(_ wait: Wait) async {
    let bytes = Held<[UInt8]>([])
    await onOwnThread {
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let (from, to) = (ends[0], ends[1])
      let input = RunLoopInput(descriptor: from, for: .readable) {
        var byte: UInt8 = 0
        if read(from, &byte, 1) == 1 { bytes.value.append(byte) }
      }
      RunLoop.current.add(input, forMode: .default)
      try! Threads.spawn {
        for byte in UInt8(0)..<10 {
          sleepPlainly(milliseconds: 1)  // so that the loop falls asleep between
          var byte = byte
          write(to, &byte, 1)
        }
      }
      wait.run { bytes.value.count == 10 }
      input.invalidate()
      close(from)
      close(to)
    }
    #expect(bytes.value == Array(0..<10))
  }

  @Test("Process and its handler, which need Foundation's loop, work under ours")
  func process() async throws {
    let status = Held<Int32>(-1)
    let told = Held(false)
    await onOwnThread {
      let process = Process()
      process.terminationHandler = { _ in told.value = true }
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "sleep 0.05; exit 7"]
      let ticks = Held(0)
      let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in ticks.value += 1 }
      try! process.run()
      process.waitUntilExit()
      status.value = ticks.value > 0 ? process.terminationStatus : -2
      let end = Date(timeIntervalSinceNow: 20)
      while !told.value, Date() < end { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
      timer.invalidate()
    }
    #expect(status.value == 7, "-2: our timer did not fire while Foundation's loop waited for the process")
    #expect(told.value, "the handler of the process's end was not called")
  }

  @Test("A port is something to wait for, in either loop; removed, it is nothing", arguments: [Wait.ours, .theirs])
  func port(_ wait: Wait) async throws {
    let ends = Held<[Bool]>([])
    await onOwnThread {
      func runs() -> Bool {
        let date = Date(timeIntervalSinceNow: 0.02)
        let isOurs = wait == .ours
        let (ours, theirs) = (RunLoop.current, StockLoop.current)
        return (isOurs ? ours.run(mode: .default, before: date) : theirs.run(mode: .default, before: date)) && Date() >= date
      }
      guard let port = SocketPort(tcpPort: 0) else { return }
      ends.value.append(runs())
      RunLoop.current.add(port, forMode: .default)
      ends.value.append(runs())
      RunLoop.current.remove(port, forMode: .default)
      ends.value.append(runs())
      port.invalidate()
    }
    #expect(ends.value == [false, true, false])
  }

  @Test("A sleeping loop is switched to at most three times in half a second")
  func idle() async {
    let asleep = Held((before: UInt64(0), after: UInt64(0), switches: 0))
    await onOwnThread {
      let timer = Timer.scheduledTimer(withTimeInterval: 100, repeats: true) { _ in }
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
      func switches() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(1), &usage)
        return usage.ru_nvcsw
      }
      let before = switches()
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5))
      asleep.value.switches = switches() - before
      timer.invalidate()
    }
    #expect(asleep.value.switches <= 3, "a loop that idles was switched to \(asleep.value.switches) times")
  }

  private func descriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

  @Test("A thread that ends with a block left on its loop leaves neither the block nor a descriptor behind")
  func endsWithBlock() async {
    let left = Atomic64(0)
    final class Kept: Sendable {
      let left: @Sendable () -> Void
      init(_ left: @escaping @Sendable () -> Void) { self.left = left }
      deinit { left() }
    }
    func round() async {
      await onOwnThread {
        _ = left.addAcqRel(1)
        let kept = Kept { _ = left.addAcqRel(~0) }
        RunLoop.current.perform { withExtendedLifetime(kept) {} }
      }
    }
    for _ in 0..<10 { await round() }
    let before = descriptors()
    for _ in 0..<50 { await round() }
    #expect(eventually { left.loadAcquire() == 0 }, "\(left.loadAcquire()) blocks are left")
    #expect(descriptors() - before < 20, "descriptors were left behind: \(before), \(descriptors())")
  }

  @Test("A loop that ends lets Foundation's end too, and leaves no descriptor behind")
  func ends() async {
    func round() async {
      await onOwnThread {
        Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in }
        RunLoop.current.run()
        _ = RunLoop.current.run(mode: RunLoop.Mode("other"), before: Date(timeIntervalSinceNow: 0.001))
        // Nothing of ours keeps their loop from ending at once.
        StockLoop.current.run()
      }
    }
    for _ in 0..<10 { await round() }
    let before = descriptors()
    for _ in 0..<50 { await round() }
    #expect(descriptors() - before < 20, "descriptors were left behind: \(before), \(descriptors())")
  }
}
