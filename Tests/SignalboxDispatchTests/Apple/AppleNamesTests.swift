// AppleNamesTests.swift: what Apple's Dispatch has and the toolchain's lacks on Linux, asyncAndWait apart: queue classes by
// kind, identity as equality, the default target, spans between times, the current label.
import Signalbox
import Testing

@Suite("Names that only Apple has") struct AppleNamesTests {
  @Test("A DispatchSerialQueue is a queue that runs its items in order")
  func serialQueue() {
    let queue = DispatchSerialQueue(label: "serial", qos: .utility)
    let log = Log()
    for number in 0..<500 { queue.async { log.add(number) } }
    queue.sync {}
    #expect(log.entries == Array(0..<500))
    #expect(queue.label == "serial")
    #expect(queue.qos == .utility)
    #expect(queue as DispatchQueue === queue)
  }

  @Test("A DispatchConcurrentQueue is a queue that runs two items at once")
  func concurrentQueue() {
    let queue = DispatchConcurrentQueue(label: "concurrent")
    let semaphores = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let group = DispatchGroup()
    for index in 0..<2 {
      queue.async(group: group) {
        semaphores[index].signal()
        #expect(semaphores[1 - index].wait(timeout: .now() + .seconds(120)) == .success)
      }
    }
    group.wait()
  }

  @Test("A DispatchSerialQueue and a DispatchConcurrentQueue can be made inactive, and take a target")
  func inactive() {
    let root = DispatchQueue(label: "root")
    let key = DispatchSpecificKey<Int>()
    root.setSpecific(key: key, value: 8)
    let queues = [
      DispatchSerialQueue(label: "serial", attributes: .initiallyInactive, target: root),
      DispatchConcurrentQueue(label: "concurrent", attributes: .initiallyInactive, target: root),
    ]
    for queue in queues {
      let group = DispatchGroup()
      queue.async(group: group) { #expect(DispatchQueue.getSpecific(key: key) == 8) }
      #expect(group.wait(timeout: .now() + .milliseconds(5)) == .timedOut)
      queue.activate()
      group.wait()
    }
  }

  @Test("Objects are equal to themselves only, and may be members of sets")
  func identity() {
    #expect(DispatchQueue.main == DispatchQueue.main)
    #expect(DispatchQueue.global() == DispatchQueue.global(qos: .default))
    #expect(DispatchQueue.global() != DispatchQueue.global(qos: .utility))
    let queues = (0..<10).map { _ in DispatchQueue(label: "same label") }
    #expect(Set(queues + queues).count == 10)
    let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 0))
    #expect(Set<DispatchObject>([group, semaphore, group, queues[0]]).count == 3)
  }

  @Test("No target is the default one, while the queue is inactive")
  func noTarget() {
    let held = DispatchQueue(label: "held")
    held.suspend()
    let queue = DispatchQueue(label: "moved", attributes: .initiallyInactive, target: held)
    queue.setTarget(queue: nil)
    queue.activate()
    #expect(queue.sync { 1 } == 1)
    held.resume()
  }

  @Test("A time advanced by its distance to another is that other")
  func spans() {
    let (early, late) = (DispatchTime(uptimeNanoseconds: 1_000), DispatchTime(uptimeNanoseconds: 5_000_000_000))
    #expect(early.distance(to: late) == .nanoseconds(4_999_999_000))
    #expect(late.distance(to: early) == .nanoseconds(-4_999_999_000))
    #expect(early.distance(to: early) == .nanoseconds(0))
    for (from, to) in [(early, late), (late, early)] { #expect(from.advanced(by: from.distance(to: to)) == to) }
    #expect(early.advanced(by: .never) == .distantFuture)
  }

  /// Not for several threads.
  private final class Tally { var count = 0 }

  @Test("The unsafe forms take closures that the compiler cannot know to be safe, and are otherwise the forms without")
  func unsafeForms() {
    let (queue, group, tally, key) = (DispatchQueue(label: "one"), DispatchGroup(), Tally(), DispatchSpecificKey<Int>())
    queue.setSpecific(key: key, value: 1)
    let add = { if DispatchQueue.getSpecific(key: key) == 1 { tally.count += 1 } }
    queue.asyncUnsafe(execute: add)
    queue.asyncUnsafe(group: group, qos: .utility, flags: .barrier, execute: add)
    group.wait()
    #expect(tally.count == 2)
    let start = DispatchTime.now()
    for _ in 0..<2 { group.enter() }
    queue.asyncAfterUnsafe(deadline: start + .milliseconds(2)) {
      add()
      group.leave()
    }
    queue.asyncAfterUnsafe(wallDeadline: .now() + .milliseconds(2), flags: .barrier) {
      add()
      group.leave()
    }
    group.wait()
    #expect(tally.count == 4 && DispatchTime.now() >= start + .milliseconds(2))
  }

  @Test("The current label is that of the innermost queue, and none outside")
  func currentLabel() async {
    let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
    outer.sync {
      #expect(DispatchQueue.currentLabel == "outer")
      inner.sync { #expect(DispatchQueue.currentLabel == "inner") }
      #expect(DispatchQueue.currentLabel == "outer")
    }
    let group = DispatchGroup()
    outer.async(group: group) { #expect(DispatchQueue.currentLabel == "outer") }
    DispatchQueue.global().async(group: group) { #expect(DispatchQueue.currentLabel == "com.apple.root.default-qos") }
    group.wait()
  }
}
