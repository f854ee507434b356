// QueueBridgeTests.swift: queues of the toolchain's Dispatch that run inside of ours, and ours that run inside of theirs.
import Dispatch
import Foundation
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

private typealias Ours = SignalboxFoundation.DispatchQueue
private typealias Theirs = Dispatch.DispatchQueue

/// What happened, in order.
private final class Notes: Sendable {
  private let lock = SignalboxFoundation.NSLock()
  private nonisolated(unsafe) var notes: [Int] = []  // guarded by `lock`
  func add(_ note: Int) { lock.withLock { notes.append(note) } }
  var all: [Int] { lock.withLock { notes } }
}

/// How many descriptors this process has open.
private var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

@Suite("Dispatch queues across both libraries", .serialized) struct QueueBridgeTests {
  @Test("Items given to the bridged queue run on ours, in order, and inside of both")
  func inside() throws {
    let ours = Ours(label: "ours")
    let theirs = try ours.makeToolchainQueue(label: "theirs")
    #expect(theirs.label == "theirs")
    let notes = Notes()
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    for number in 0..<1_000 {
      theirs.async {
        SignalboxFoundation.dispatchPrecondition(condition: .onQueue(ours))
        Dispatch.dispatchPrecondition(condition: .onQueue(theirs))
        notes.add(number)
      }
    }
    theirs.async { end.signal() }
    #expect(end.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(notes.all == Array(0..<1_000))
  }

  @Test("Items of our queue and the bridged one never run at the same time")
  func exclusion() throws {
    let ours = Ours(label: "ours")
    let theirs = try ours.makeToolchainQueue()
    let inside = Atomic64(0), overlaps = Atomic64(0), done = Atomic64(0)
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    let body: @Sendable () -> Void = {
      if inside.addAcqRel(1) != 0 { _ = overlaps.addAcqRel(1) }
      _ = inside.addAcqRel(UInt64.max)
      if done.addAcqRel(1) == 3_999 { end.signal() }
    }
    let producers = (0..<4).map { number in
      Foundation.Thread {
        for _ in 0..<1_000 { if number % 2 == 0 { ours.async(execute: body) } else { theirs.async(execute: body) } }
      }
    }
    for producer in producers { producer.start() }
    #expect(end.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(overlaps.loadAcquire() == 0)
  }

  @Test("A sync onto the bridged queue waits for our turn, and brings its value back")
  func sync() throws {
    let ours = Ours(label: "ours")
    let theirs = try ours.makeToolchainQueue()
    #expect(theirs.sync { 7 } == 7)
    ours.suspend()
    let notes = Notes()
    theirs.async { notes.add(2) }
    notes.add(1)
    ours.resume()
    theirs.sync { notes.add(3) }
    #expect(notes.all == [1, 2, 3])
  }

  @Test("A bridge ends with the last reference to the bridged queue, and leaves no descriptor and no queue behind")
  func ends() throws {
    _ = try Ours(label: "first").makeToolchainQueue()  // what the event thread opens once
    let before = descriptors
    weak var gone: Ours?
    for _ in 0..<20 {
      let ours = Ours(label: "ours")
      gone = ours
      let theirs = try ours.makeToolchainQueue()
      theirs.sync {}
    }
    #expect(eventually(within: 60) { descriptors <= before && gone == nil })
  }

  @Test("Many bridges made at once find each its own descriptor")
  func manyAtOnce() {
    let ends = SignalboxFoundation.DispatchSemaphore(value: 0), ran = Atomic64(0)
    for _ in 0..<8 {
      Foundation.Thread.detachNewThread {
        let ours = Ours(label: "ours")
        do {
          try ours.makeToolchainQueue().sync { _ = ran.addAcqRel(1) }
        } catch { Issue.record(error) }
        ends.signal()
      }
    }
    for _ in 0..<8 { #expect(ends.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    #expect(ran.loadAcquire() == 8)
  }

  @Test("Items given to a forwarding queue of ours run on the toolchain's, in order")
  func forwarding() {
    let theirs = Theirs(label: "theirs")
    let ours = Ours.forwarding(to: theirs)
    #expect(ours.label == "theirs")
    let notes = Notes()
    for number in 0..<1_000 {
      ours.async {
        Dispatch.dispatchPrecondition(condition: .onQueue(theirs))
        SignalboxFoundation.dispatchPrecondition(condition: .onQueue(ours))
        notes.add(number)
      }
    }
    ours.sync { notes.add(1_000) }
    #expect(notes.all == Array(0...1_000))
    #expect(ours.sync { 3 } == 3)
  }

  @Test("A sync to a forwarding queue from the thread that performed it last does not wait for itself")
  func roaming() {
    let theirs = Theirs(label: "theirs")
    let ours = Ours.forwarding(to: theirs)
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    // An item on a global queue of theirs may run on the very worker that ran ours.
    for _ in 0..<200 {
      ours.async {}
      Theirs.global().async {
        ours.sync {}
        end.signal()
      }
    }
    for _ in 0..<200 { #expect(end.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
  }
}
