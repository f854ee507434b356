// ItemClassTests.swift: which class wins: every combination of an item's class and flags with a queue's class, and with
// a submitter's; and every state of the word that counts the threads that ask.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite struct ItemClassTests {
  static let classes: [DispatchQoS.QoSClass] = [
    .unspecified, .background, .utility, .default, .userInitiated, .userInteractive,
  ]
  /// Those that can be asked for.
  static let askable = ServiceClasses(.interactive, before: .background)
  static let flags: [DispatchWorkItemFlags] = [
    [], .inheritQoS, .enforceQoS, .noQoS, [.enforceQoS, .inheritQoS], [.enforceQoS, .noQoS], .detached,
  ]

  @Test("A queue's class wins, an enforced item's if it is more urgent, an item's where the queue has none", arguments: classes)
  func winners(queue: DispatchQoS.QoSClass) {
    for item in Self.classes {
      for flags in Self.flags {
        let winner = ItemClass.winner(item: item, flags, queue: queue)
        let own = flags.contains(.noQoS) ? DispatchQoS.QoSClass.unspecified : item
        let isEnforced = flags == .enforceQoS
        let expected: DispatchQoS.QoSClass =
          queue == .unspecified ? own : isEnforced ? (own.rawValue > queue.rawValue ? own : queue) : queue
        #expect(winner == expected, "\(item) \(flags) on \(queue)")
        #expect(queue == .unspecified || winner.rawValue >= queue.rawValue, "no item makes its queue less urgent")
      }
    }
  }

  @Test(
    "A queue without a class takes its submitter's if that is more urgent, and is never more urgent by that than user-initiated"
  )
  func propagation() {
    #expect(ItemClass.propagated(submitter: nil, own: .standard) == .standard)
    for submitter in ServiceClass.all {
      let expected = submitter < .standard ? ServiceClass.initiated : .standard
      #expect(ItemClass.propagated(submitter: submitter, own: .standard) == expected, "\(submitter)")
    }
  }

  @Test("The most urgent class that anybody asks for counts, until as many have gone as came")
  func counts() {
    // All ways to ask up to twice for each class that can be asked for.
    for code in 0..<81 {
      let asked = (0..<4).map { code / [1, 3, 9, 27][$0] % 3 }
      var raise = QueueRaise(rawValue: 0)
      for (serviceClass, count) in zip(ServiceClass.all, asked) {
        for _ in 0..<count { raise = raise.afterBegin(serviceClass)! }
      }
      #expect(raise.mostUrgent?.rawValue == asked.firstIndex { $0 > 0 })
      #expect(raise.brokenInvariant == nil && (raise[QueueRaise.wasRaised] == 1) == (code > 0))
      for (serviceClass, count) in zip(ServiceClass.all, asked) {
        for left in (0..<count).reversed() {
          raise = raise.afterEnd(serviceClass)!
          #expect((raise.mostUrgent == serviceClass) == (left > 0))
        }
        #expect(raise.afterEnd(serviceClass) == nil, "nobody asks any more")
      }
      #expect(raise.mostUrgent == nil)
    }
  }

  @Test("A queue that was served elsewhere is known as one that was raised, and nobody asks")
  func noted() {
    let noted = QueueRaise(rawValue: 0).afterNote()
    #expect(noted[QueueRaise.wasRaised] == 1 && noted.mostUrgent == nil && noted.brokenInvariant == nil)
    #expect(noted.afterNote().rawValue == noted.rawValue)
    for serviceClass in Self.askable {
      let raised = noted.afterBegin(serviceClass)!
      #expect(raised.afterNote().rawValue == raised.rawValue && raised.afterEnd(serviceClass)!.rawValue == noted.rawValue)
    }
  }

  @Test("Nobody asks for the lowest class, and more than a field holds do not count")
  func ends() {
    #expect(QueueRaise(rawValue: 0).afterBegin(.background) == nil && QueueRaise(rawValue: 0).afterEnd(.background) == nil)
    for serviceClass in Self.askable {
      var raise = QueueRaise(rawValue: 0)
      raise[QueueRaise.count(serviceClass)] = QueueRaise.count(serviceClass).mask
      #expect(raise.afterBegin(serviceClass) == nil)
      for other in Self.askable where other != serviceClass { #expect(raise[QueueRaise.count(other)] == 0) }
    }
  }
}
