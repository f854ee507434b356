// ActionObserverTests.swift: methods of objects that are called for notifications: whose, how long, and what removal takes away.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

extension Notification.Name {
  fileprivate static let news = Notification.Name("news")
  fileprivate static let other = Notification.Name("other")
}

/// Counts what it hears.
// SAFETY of @unchecked: the counts are atomic, the list is used by one thread.
private final class Ear: @unchecked Sendable {
  static let alive = Atomic64(0)
  let heard = Atomic64(0)
  var texts: [String] = []
  private let center: NotificationCenter?

  /// - Parameter center: where it removes itself when it goes, if anywhere.
  init(removedFrom center: NotificationCenter? = nil) {
    self.center = center
    _ = Ear.alive.addAcqRel(1)
  }
  deinit {
    center?.removeObserver(self)
    _ = Ear.alive.addAcqRel(UInt64.max)
  }
  func count(_ notification: Notification) { _ = heard.addAcqRel(1) }
  func note(_ notification: Notification) { texts.append(notification.name.rawValue) }
  func noteOther(_ notification: Notification) { texts.append("other method") }
  func leave(_ notification: Notification) {
    count(notification)
    (notification.object as? NotificationCenter)?.removeObserver(self)
  }
}

@Suite("Methods called for notifications", .serialized) struct ActionObserverTests {
  @Test("An observer's method is called on the poster's thread, as often as it was added, for its names and objects")
  func calls() {
    let (center, ear) = (NotificationCenter(), Ear())
    let sender = NSObject()
    center.addObserver(ear, action: Ear.note, name: .news)
    center.addObserver(ear, action: Ear.note, name: nil, object: sender)
    center.addObserver(ear, action: Ear.noteOther, name: .other)
    center.post(name: .news, object: nil)
    #expect(ear.texts == ["news"])
    center.post(name: .news, object: sender)
    #expect(ear.texts == ["news", "news", "news"])
    ear.texts = []
    center.post(name: .other, object: sender)
    #expect(ear.texts.sorted() == ["other", "other method"])
    center.removeObserver(ear)
  }

  @Test("All observations of an object are removed at one centre, or by name and object")
  func removal() {
    let (center, elsewhere, ear) = (NotificationCenter(), NotificationCenter(), Ear())
    let sender = NSObject()
    func heard(_ post: () -> Void) -> UInt64 {
      let before = ear.heard.loadAcquire()
      post()
      return ear.heard.loadAcquire() - before
    }
    for place in [center, elsewhere] {
      place.addObserver(ear, action: Ear.count, name: .news)
      place.addObserver(ear, action: Ear.count, name: .other, object: sender)
      place.addObserver(ear, action: Ear.count, name: nil, object: sender)
    }
    #expect(heard { center.post(name: .other, object: sender) } == 2)
    center.removeObserver(ear, name: .other, object: nil)
    #expect(heard { center.post(name: .other, object: sender) } == 1)
    center.removeObserver(ear, name: nil, object: sender)
    #expect(heard { center.post(name: .other, object: sender) } == 0)
    #expect(heard { center.post(name: .news, object: sender) } == 1)
    center.removeObserver(ear)
    #expect(heard { center.post(name: .news, object: sender) } == 0)
    #expect(heard { elsewhere.post(name: .news, object: sender) } == 2)
    elsewhere.removeObserver(ear)
    elsewhere.removeObserver(ear)
    #expect(heard { elsewhere.post(name: .news, object: sender) } == 0)
  }

  @Test("The token of a block for one sender is not removed for another")
  func tokensOfSenders() {
    let (center, ear, sender, other) = (NotificationCenter(), Ear(), NSObject(), NSObject())
    let token = center.addObserver(forName: .news, object: sender, queue: nil, using: ear.count)
    center.removeObserver(token, name: .news, object: other)
    center.removeObserver(token, name: .other, object: sender)
    center.post(name: .news, object: sender)
    #expect(ear.heard.loadAcquire() == 1)
    center.removeObserver(token, name: nil, object: sender)
    center.post(name: .news, object: sender)
    #expect(ear.heard.loadAcquire() == 1)
  }

  @Test("Tokens of blocks are removed as before")
  func tokens() {
    let (center, ear) = (NotificationCenter(), Ear())
    let token = center.addObserver(forName: .news, object: nil, queue: nil, using: ear.count)
    center.post(name: .news, object: nil)
    center.removeObserver(token)
    center.post(name: .news, object: nil)
    let (first, second) = (
      center.addObserver(forName: .news, object: nil, queue: nil, using: ear.count),
      center.addObserver(forName: .news, object: nil, queue: nil, using: ear.count)
    )
    [first, second].forEach(center.removeObserver)
    center.post(name: .news, object: nil)
    #expect(ear.heard.loadAcquire() == 1)
  }

  @Test("Observers are not kept alive, are not called once they are gone, and leave nothing behind for long")
  func weakness() {
    let center = NotificationCenter()
    let before = Ear.alive.loadAcquire()
    for number in 0..<1_000 {
      let ear = Ear(removedFrom: number % 2 == 0 ? center : nil)
      center.addObserver(ear, action: Ear.count, name: .news)
    }
    #expect(Ear.alive.loadAcquire() == before)
    center.post(name: .news, object: nil)
    let ear = Ear()
    for _ in 0..<200 { center.addObserver(ear, action: Ear.count, name: .other) }
    #expect(ActionTable.shared.testsOnly_count < 600)
    center.removeObserver(ear)
  }

  @Test("A method may remove its own object")
  func fromWithin() {
    let (center, ear) = (NotificationCenter(), Ear())
    center.addObserver(ear, action: Ear.leave, name: .news)
    center.post(name: .news, object: center)
    center.post(name: .news, object: center)
    #expect(ear.heard.loadAcquire() == 1)
  }

  @Test("While others come and go, an observer that stays gets each post of many threads once, and one that went none")
  func races() {
    let (center, stays) = (NotificationCenter(), Ear())
    let before = Ear.alive.loadAcquire()
    center.addObserver(stays, action: Ear.count, name: .news)
    let posters = DispatchGroup(), others = DispatchGroup()
    let isOver = Atomic32(0)
    for number in 0..<2 {
      Thread.detachNewThread(in: others) {
        var round = 0
        while isOver.loadAcquire() == 0 {
          let passing = Ear()
          center.addObserver(passing, action: Ear.count, name: .news)
          round += 1
          if (round + number) % 2 == 0 { center.removeObserver(passing) }  // else it just goes
        }
      }
      Thread.detachNewThread(in: posters) { for _ in 0..<5_000 { center.post(name: .news, object: nil) } }
    }
    #expect(posters.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    isOver.storeRelease(1)
    #expect(others.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(stays.heard.loadAcquire() == 10_000)
    #expect(Ear.alive.loadAcquire() == before)
    center.removeObserver(stays)
    center.post(name: .news, object: nil)
    #expect(stays.heard.loadAcquire() == 10_000)
  }
}

extension Thread {
  /// A thread that counts as a member of `group`.
  fileprivate static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}
