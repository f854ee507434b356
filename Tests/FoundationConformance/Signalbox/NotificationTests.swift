// NotificationTests.swift: notifications posted to observers on operation queues: who waits for whom, and what removal means.
import Glibc
import Testing

extension Notification.Name {
  fileprivate static let news = Notification.Name("news")
  fileprivate static let other = Notification.Name("other")
}

extension Conformance {
  @Suite("Notifications") struct Notifications {
    @Test("Who posts waits until the observer's queue has delivered")
    func waits() async {
      await isolated {
        let (center, queue) = (NotificationCenter(), OperationQueue())
        let log = Recorder<String>()
        let token = center.addObserver(forName: .news, object: nil, queue: queue) { notification in
          let isInside = OperationQueue.current === queue
          log.add("\(notification.name.rawValue) \(notification.userInfo?["number"] as? Int ?? 0) \(isInside)")
        }
        for number in 1...3 {
          center.post(name: .news, object: nil, userInfo: ["number": number])
          log.add("posted")
        }
        expectEqual(log.entries, ["news 1 true", "posted", "news 2 true", "posted", "news 3 true", "posted"])
        center.removeObserver(token)
      }
    }

    @Test("A suspended queue holds whoever posts")
    func suspended() async {
      await isolated {
        let (center, queue) = (NotificationCenter(), OperationQueue())
        queue.isSuspended = true
        let log = Recorder<String>()
        let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in log.add("delivered") }
        let poster = onThread {
          center.post(name: .news, object: nil)
          log.add("posted")
        }
        expectEventually("the delivery is in the queue") { queue.operationCount == 1 }
        expect(log.entries.isEmpty)
        queue.isSuspended = false
        poster.join()
        expectEqual(log.entries, ["delivered", "posted"])
        center.removeObserver(token)
      }
    }

    @Test("Inside of the queue the observer is called at once")
    func inside() async {
      await isolated {
        let (center, queue) = (NotificationCenter(), OperationQueue())
        queue.maxConcurrentOperationCount = 1
        let log = Recorder<String>()
        let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in log.add("delivered") }
        queue.addOperation {
          center.post(name: .news, object: nil)
          log.add("posted")
        }
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(log.entries, ["delivered", "posted"])
        center.removeObserver(token)
      }
    }

    @Test("Without a queue the observer is called on the thread that posts")
    func withoutQueue() async {
      await isolated {
        let center = NotificationCenter()
        let log = Recorder<Bool>()
        let poster = Monitor<pthread_t?>(nil)
        let token = center.addObserver(forName: .news, object: nil, queue: nil) { _ in
          log.add(poster.access { $0 } == pthread_self())
        }
        onThreads(1) { _ in
          poster.access { $0 = pthread_self() }
          center.post(name: .news, object: nil)
        }
        expectEqual(log.entries, [true])
        center.removeObserver(token)
      }
    }

    @Test("Names and objects choose; nil means all")
    func choice() async {
      await isolated {
        let (center, queue) = (NotificationCenter(), OperationQueue())
        let (one, two) = (NSObject(), NSObject())
        let log = Recorder<String>()
        let tokens = [
          center.addObserver(forName: .news, object: nil, queue: queue) { _ in log.add("name") },
          center.addObserver(forName: nil, object: one, queue: queue) { _ in log.add("object") },
          center.addObserver(forName: .news, object: one, queue: queue) { _ in log.add("both") },
        ]
        func posted(_ name: Notification.Name, _ object: NSObject?) -> [String] {
          let before = log.entries.count
          center.post(name: name, object: object)
          return log.entries.dropFirst(before).sorted()
        }
        expectEqual(posted(.news, nil), ["name"])
        expectEqual(posted(.news, one), ["both", "name", "object"])
        expectEqual(posted(.other, one), ["object"])
        expectEqual(posted(.news, two), ["name"])
        expectEqual(posted(.other, two), [])
        for token in tokens { center.removeObserver(token) }
        expectEqual(posted(.news, one), [])
      }
    }

    @Test("An observer that stays gets each post of many threads once, while others come and go")
    func races() async {
      await isolated {
        let (center, queue) = (NotificationCenter(), OperationQueue())
        queue.maxConcurrentOperationCount = 1
        let heard = Monitor(0), passing = Monitor(0)
        let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in heard.access { $0 += 1 } }
        onThreads(4) { number in
          for _ in 0..<100 {
            if number < 2 {
              center.post(name: .news, object: nil)
            } else {
              let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in passing.access { $0 += 1 } }
              center.removeObserver(token)
            }
          }
        }
        expectEqual(heard.access { $0 }, 200)
        let passed = passing.access { $0 }
        center.post(name: .news, object: nil)
        expectEqual(passing.access { $0 }, passed)
        expectEqual(heard.access { $0 }, 201)
        center.removeObserver(token)
        center.post(name: .news, object: nil)
        expectEqual(heard.access { $0 }, 201)
      }
    }
  }
}
