// SanitizerWordsTests.swift: the thread sanitizer's two words of queues and sources, read as it reads them. That it then tells races
// from order is Scripts/check-sanitizer's; where the C face says that they lie is SignalboxABITests'.
import Testing

@testable import SignalboxDispatch

@Suite("What the thread sanitizer reads") struct SanitizerWordsTests {
  private static func target(_ object: AnyObject) -> UInt {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()).load(fromByteOffset: 16, as: UInt.self)
  }
  private static func width(_ queue: DispatchQueue) -> UInt16 {
    UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque()).load(fromByteOffset: 24, as: UInt16.self)
  }

  @Test("Serial queues have the width 1, others more")
  func widths() {
    let narrow = DispatchQueue(label: "narrow", attributes: .concurrent)
    let wide = DispatchQueue(label: "wide", attributes: .concurrent)
    narrow.setWidth(1)
    wide.setWidth(70_000)
    let serial = [
      DispatchQueue(label: "serial"), DispatchQueue.main, DispatchWorkloop(label: "workloop"), RunLoopQueue(label: "loop"),
      narrow,
      DispatchSerialQueue(label: "serial"), DispatchQueue(label: "inactive", attributes: .initiallyInactive),
    ]
    let concurrent = [
      DispatchQueue(label: "concurrent", attributes: .concurrent), DispatchConcurrentQueue(label: "concurrent"),
      DispatchQueue.global(), DispatchQueue.global(qos: .background), wide,
    ]
    for queue in serial { #expect(Self.width(queue) == 1, "\(queue.label)") }
    for queue in concurrent { #expect(Self.width(queue) > 1, "\(queue.label)") }
    serial.last?.activate()
  }

  @Test("The target leads to every queue whose turn an item has, and global queues end the way")
  func targets() {
    let base = DispatchQueue(label: "base")
    let top = DispatchQueue(label: "top", attributes: .concurrent, target: base)
    #expect(Self.target(top) == base.address)
    #expect(Self.target(base) == 0)
    #expect(Self.target(DispatchQueue(label: "utility", target: .global(qos: .utility))) == 0)
    #expect(Self.target(DispatchQueue.global()) == 0)
    #expect(Self.target(DispatchQueue(label: "on main", target: .main)) == DispatchQueue.main.address)
  }

  @Test("A change of a queue's target is seen")
  func retargeted() {
    let (base, other) = (DispatchQueue(label: "base"), DispatchQueue(label: "other"))
    let queue = DispatchQueue(
      legacyLabel: "legacy", isConcurrent: false, isInactive: true, qos: .unspecified, target: nil)
    queue.setTarget(queue: base)
    #expect(Self.target(queue) == base.address)
    queue.activate()
    queue.setTarget(queue: other)  // idle: changes at once
    #expect(Self.target(queue) == other.address)
    queue.setTarget(queue: nil)
    #expect(Self.target(queue) == 0)
  }

  @Test("A source leads to its core, which is serial, and on to what its handlers run on")
  func sources() {
    let base = DispatchQueue(label: "base")
    let source = DispatchSource.makeTimerSource(queue: base) as! DispatchSource
    #expect(Self.target(source) == source.core.address)
    #expect(Self.width(source.core) == 1)
    #expect(Self.target(source.core) == base.address)
    source.setTarget(queue: nil)
    #expect(Self.target(source.core) == 0)
    source.cancel()
  }
}
