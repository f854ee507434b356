// DescriptionTests.swift: what `print` shows of the engine's objects: type, label or name, address, state.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("Descriptions of queues, groups, sources and items") struct DescriptionTests {
  /// The text with the object's own address as `@`.
  private func shown<Object: AnyObject & CustomStringConvertible & CustomDebugStringConvertible>(_ object: Object) -> String {
    #expect(object.debugDescription == object.description)
    let address = "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
    return object.description.replacing(address, with: "@")
  }

  @Test("A queue's description has its kind, whether it is stopped, and how much lies in it")
  func queues() {
    let store = DispatchQueue(label: "store")
    #expect(shown(store) == "<DispatchQueue \"store\" @ serial>")
    store.suspend()
    #expect(shown(store) == "<DispatchQueue \"store\" @ serial, suspended>")
    store.suspend()
    for _ in 0..<3 { store.async {} }
    #expect(shown(store) == "<DispatchQueue \"store\" @ serial, suspended 2 times, 3 pending>")
    store.resume()
    store.resume()
    store.sync {}
    let asleep = DispatchQueue(label: "", attributes: [.concurrent, .initiallyInactive])
    #expect(shown(asleep) == "<DispatchQueue @ concurrent, not activated>")
    asleep.activate()
    #expect(shown(DispatchQueue.global()) == "<DispatchQueue \"com.apple.root.default-qos\" @ global, concurrent>")
    #expect(DispatchQueue.main.description.hasPrefix("<DispatchQueue \"com.apple.main-thread\" 0x"))
    #expect(shown(DispatchSerialQueue(label: "typed")) == "<DispatchSerialQueue \"typed\" @ serial>")
    #expect(shown(DispatchWorkloop(label: "loop")) == "<DispatchWorkloop \"loop\" @ serial>")
  }

  @Test("A queue's description has who has its turn, and how many run")
  func turns() {
    let readers = DispatchQueue(label: "readers", attributes: .concurrent)
    readers.sync { #expect(shown(readers) == "<DispatchQueue \"readers\" @ concurrent, 1 running>") }
    readers.sync(flags: .barrier) {
      #expect(shown(readers) == "<DispatchQueue \"readers\" @ concurrent, taken by thread \(ThreadSlot.kernelID())>")
    }
    let serial = DispatchQueue(label: "serial")
    serial.sync { #expect(shown(serial) == "<DispatchQueue \"serial\" @ serial, taken by thread \(ThreadSlot.kernelID())>") }
  }

  @Test("More items than a queue has room for inside, and than a page has")
  func pending() {
    let queue = DispatchQueue(label: "full")
    queue.suspend()
    for number in 1...600 {
      queue.async {}
      #expect(queue.list.pendingCount == UInt64(number))
    }
    queue.resume()
    queue.sync {}
    #expect(queue.list.pendingCount == 0)
  }

  @Test("The count of items can be read while others push and run, without a fault")
  func pendingMeanwhile() {
    let queue = DispatchQueue(label: "busy"), group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { for _ in 0..<20_000 { queue.async(group: group) {} } } }
    while group.wait(timeout: .now()) == .timedOut { #expect(queue.description.hasPrefix("<DispatchQueue \"busy\" 0x")) }
  }

  @Test("The descriptions of groups and semaphores have their names and counts")
  func named() {
    let group = DispatchGroup()
    #expect(group.name == nil && shown(group) == "<DispatchGroup @ empty>")
    group.name = "uploads"
    group.enter()
    #expect(group.name == "uploads" && shown(group) == "<DispatchGroup \"uploads\" @ 1 inside>")
    group.name = nil
    #expect(group.name == nil && shown(group) == "<DispatchGroup @ 1 inside>")
    group.leave()
    let slots = DispatchSemaphore(value: 2)
    slots.name = "slots"
    slots.wait()
    #expect(slots.name == "slots" && shown(slots) == "<DispatchSemaphore \"slots\" @ value 1>")
    slots.signal()
  }

  @Test("A name goes with its object, and the next object in its place has none")
  func namesGo() {
    for _ in 0..<1000 {
      let group = DispatchGroup(), semaphore = DispatchSemaphore(value: 0)
      #expect(group.name == nil && semaphore.name == nil)
      (group.name, semaphore.name) = ("one of many", "another")
    }
  }

  @Test("A thread that waits counts below zero")
  func waiting() async {
    let semaphore = DispatchSemaphore(value: 0), done = DispatchGroup()
    DispatchQueue.global().async(group: done) { semaphore.wait() }
    while !semaphore.description.hasSuffix("value 0, 1 waiting>") { sched_yield() }
    semaphore.signal()
    done.wait()
  }

  @Test("A work item's description says whether it was submitted, runs, has run, or is cancelled")
  func workItems() {
    let queue = DispatchQueue(label: "store"), isInside = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
    let item = DispatchWorkItem {
      isInside.signal()
      mayEnd.wait()
    }
    #expect(shown(item) == "<DispatchWorkItem @ not submitted>")
    queue.suspend()
    queue.async(execute: item)
    #expect(shown(item) == "<DispatchWorkItem @ submitted>")
    queue.resume()
    isInside.wait()
    #expect(shown(item).hasPrefix("<DispatchWorkItem @ runs on thread "))
    mayEnd.signal()
    item.wait()
    item.cancel()
    #expect(shown(item) == "<DispatchWorkItem @ has run, cancelled>")
  }

  @Test("The descriptions of sources and channels have their kinds and states")
  func sources() {
    let queue = DispatchQueue(label: "store"), timer = DispatchSource.makeTimerSource(queue: queue)
    #expect(shown(timer as! DispatchSource) == "<DispatchSource @ timer on \"store\", not activated>")
    timer.activate()
    #expect(shown(timer as! DispatchSource) == "<DispatchSource @ timer on \"store\", active>")
    timer.suspend()
    #expect(shown(timer as! DispatchSource) == "<DispatchSource @ timer on \"store\", suspended>")
    timer.resume()
    timer.cancel()
    #expect(shown(timer as! DispatchSource) == "<DispatchSource @ timer on \"store\", cancelled>")
    let channel = DispatchIO(type: .stream, fileDescriptor: 1, queue: queue) { _ in }
    #expect(shown(channel) == "<DispatchIO @ stream, descriptor 1>")
    channel.close()
  }
}
