// NotificationSequenceTests.swift: notifications as an asynchronous sequence: what is heard, and how listening ends.
import SignalboxFoundation
import SignalboxSystem
import Testing

extension Notification.Name {
  fileprivate static let news = Notification.Name("news")
  fileprivate static let other = Notification.Name("other")
}

@Suite("Notifications as an asynchronous sequence") struct NotificationSequenceTests {
  private static func number(_ notification: Notification?) -> Int? { notification?.userInfo?["number"] as? Int }
  private static func post(_ number: Int, _ center: NotificationCenter, object: Any? = nil) {
    center.post(name: .news, object: object, userInfo: ["number": number])
  }

  @Test("An iterator receives matching notifications posted after its creation, in order")
  func order() async {
    let center = NotificationCenter()
    let sender = NSLock()  // any object that may be shared
    let all = center.notifications(named: .news), one = center.notifications(named: .news, object: sender)
    Self.post(0, center)
    var everybody = all.makeAsyncIterator(), single = one.makeAsyncIterator()
    Self.post(1, center)
    center.post(name: .other, object: nil)
    Self.post(2, center, object: sender)
    Self.post(3, center)
    #expect(await Self.number(everybody.next()) == 1)
    #expect(await Self.number(everybody.next()) == 2)
    #expect(await Self.number(everybody.next()) == 3)
    #expect(await Self.number(single.next()) == 2)
    var late = all.makeAsyncIterator()
    Self.post(4, center)
    #expect(await Self.number(late.next()) == 4)
    #expect(await Self.number(everybody.next()) == 4)
  }

  @Test("A loop that waits is woken by a post on another thread")
  func waiting() async {
    let center = NotificationCenter()
    let listens = Atomic32(0)
    let task = Task {
      var numbers: [Int] = []
      var iterator = center.notifications(named: .news).makeAsyncIterator()
      listens.storeRelease(1)
      while numbers.count < 100, let number = await Self.number(iterator.next()) { numbers.append(number) }
      return numbers
    }
    while listens.loadAcquire() == 0 { await Task.yield() }
    Thread.detachNewThread { for number in 0..<100 { Self.post(number, center) } }
    #expect(await task.value == Array(0..<100))
  }

  @Test("Cancelling the task ends the loop")
  func cancellation() async {
    let center = NotificationCenter()
    let heard = Atomic32(0)
    let task = Task {
      for await _ in center.notifications(named: .news) { heard.storeRelease(1) }
      return true
    }
    while heard.loadAcquire() == 0 {  // it may not listen yet
      Self.post(1, center)
      await Task.yield()
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test("An iterator that is gone receives nothing")
  func end() async {
    final class Cargo: Sendable {}
    let center = NotificationCenter()
    weak var kept: Cargo?
    do {
      var iterator = center.notifications(named: .news).makeAsyncIterator()
      Self.post(1, center)
      #expect(await Self.number(iterator.next()) == 1)
      let cargo = Cargo()
      center.post(name: .news, object: nil, userInfo: ["cargo": cargo])
      kept = cargo
      #expect(kept != nil)
    }
    let cargo = Cargo()
    center.post(name: .news, object: nil, userInfo: ["cargo": cargo])
    #expect(kept == nil)
  }
}
