// TargetActionTests.swift: methods in place of selectors, with an argument and without, for threads, performs, timers, observers
// and operations. That Swift 5 has nothing to warn of is Tests/Swift5.
import SignalboxFoundation
import SignalboxTestSupport
import Testing

/// Notes which of its methods were called.
// SAFETY of @unchecked: the list is guarded by the lock.
private final class Player: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var list: [String] = []
  var calls: [String] { lock.withLock { list } }
  private func note(_ text: String) { lock.withLock { list.append(text) } }

  func play() { note("play") }
  func skip(to song: String) { note("skip to \(song)") }
  func take(_ any: Any?) { note("take \(any ?? "nothing")") }
  func tick(_ timer: Timer) { note("tick of \(timer.userInfo ?? "nobody")") }
  func hear(_ notification: Notification) { note("hear \(notification.name.rawValue)") }
  func count() -> Int { 7 }

  func hasCalls(_ wanted: [String]) -> Bool { eventually { calls == wanted } }
}

@Suite("Methods in place of selectors") struct TargetActionTests {
  @Test("A thread calls a method without an argument, with one of its own type, or with anything")
  func threads() {
    let player = Player()
    var wanted: [String] = []
    func expectNext(_ call: String, _ start: () -> Void) {
      start()
      wanted.append(call)
      #expect(player.hasCalls(wanted), "\(player.calls)")
    }
    expectNext("play") { Thread(target: player, action: Player.play, object: nil).start() }
    expectNext("play") { Thread(target: player, action: Player.play).start() }
    expectNext("skip to one") { Thread(target: player, action: Player.skip, object: "one").start() }
    expectNext("take nothing") { Thread(target: player, action: Player.take, object: nil).start() }
    expectNext("play") { Thread.detachNewThread(Player.play, toTarget: player, with: nil) }
    expectNext("skip to two") { Thread.detachNewThread(Player.skip, toTarget: player, with: "two") }
    expectNext("play") { player.performInBackground(Player.play) }
    expectNext("skip to three") { player.performInBackground(Player.skip, with: "three") }
  }

  @Test("Performs on a thread call a method too, now and later")
  func performs() async throws {
    let player = Player()
    let thread = Thread {
      // SAFETY: the method is called on this thread.
      player.perform(Player.play, with: nil, afterDelay: 0.001)
      player.perform(Player.skip, named: "later", with: "later", afterDelay: 0.002)
      player.perform(Player.play, afterDelay: 1_000)
      let keeper = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in }
      while !Thread.current.isCancelled { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
      keeper.invalidate()
      NSObject.cancelPreviousPerformRequests(withTarget: player)
    }
    thread.start()
    #expect(player.hasCalls(["play", "skip to later"]), "\(player.calls)")
    try player.perform(Player.play, on: thread, with: nil, waitUntilDone: true)
    try player.perform(Player.play, on: thread, waitUntilDone: true)
    try player.perform(Player.skip, on: thread, with: "now", waitUntilDone: true)
    #expect(player.calls.suffix(3) == ["play", "play", "skip to now"])
    try thread.perform { thread.cancel() }
    #expect(eventually { thread.isFinished })
  }

  @Test("Timers call a method with themselves, or without an argument")
  func timers() {
    let player = Player()
    for timer in [
      Timer(timeInterval: 9, target: player, action: Player.tick, userInfo: "one", repeats: false),
      Timer(timeInterval: 9, target: player, action: Player.play, userInfo: nil, repeats: false),
      Timer(fireAt: .distantFuture, interval: 0, target: player, action: Player.tick, userInfo: "two", repeats: false),
      Timer(fireAt: .distantFuture, interval: 0, target: player, action: Player.play, userInfo: nil, repeats: false),
      Timer.scheduledTimer(timeInterval: 9, target: player, action: Player.tick, userInfo: "three", repeats: false),
      Timer.scheduledTimer(timeInterval: 9, target: player, action: Player.play, userInfo: nil, repeats: false),
    ] {
      timer.fire()
      #expect(!timer.isValid)
    }
    #expect(player.calls == ["tick of one", "play", "tick of two", "play", "tick of three", "play"])
  }

  @Test("A timer lets its userInfo go as it ends, whoever keeps the timer, and not under a lock")
  func userInfoGoes() {
    /// Ends another timer as it goes.
    final class Ending: NSObject, @unchecked Sendable {
      let other: Timer
      init(_ other: Timer) { self.other = other }
      deinit { other.invalidate() }
    }
    let player = Player()
    let other = Timer.scheduledTimer(timeInterval: 9, target: player, action: Player.play, userInfo: nil, repeats: false)
    weak var seen: Ending?
    let timer: Timer
    do {
      let info = Ending(other)
      seen = info
      timer = Timer.scheduledTimer(timeInterval: 9, target: player, action: Player.tick, userInfo: info, repeats: true)
    }
    #expect(seen != nil && (timer.userInfo as? Ending) === seen && other.isValid)
    timer.invalidate()
    #expect(seen == nil && timer.userInfo == nil && !other.isValid)
  }

  @Test("Observers are called by a method with the notification, or without an argument")
  func observers() {
    let (player, center, name) = (Player(), NotificationCenter(), Notification.Name("ended"))
    center.addObserver(player, action: Player.hear, name: name)
    center.addObserver(player, action: Player.play, name: name, object: nil)
    center.post(name: name, object: nil)
    #expect(player.calls.sorted() == ["hear ended", "play"])
    center.removeObserver(player)
    center.post(name: name, object: nil)
    #expect(player.calls.count == 2)
  }

  @Test("Operations call a method with an object, or without an argument, and keep what it returns")
  func operations() throws {
    let player = Player()
    let operations = [
      InvocationOperation(target: player, action: Player.play, object: nil),
      InvocationOperation(target: player, action: Player.skip, object: "one"),
      InvocationOperation(target: player, action: Player.count),
    ]
    for operation in operations { operation.start() }
    #expect(player.calls == ["play", "skip to one"])
    #expect(try operations[2].result as? Int == 7)
    #expect(throws: InvocationOperationError.void) { try operations[0].result }
  }
}
