// HeldTargetTests.swift: a thread that follows a queue's target while it may change holds it by a reference, and gives
// that back.
import Testing

@testable import SignalboxDispatch

@Suite("A target that may change is held by whoever follows it") struct HeldTargetTests {
  /// The queue's target, made for it alone; known to the caller by a weak reference.
  private func aim(_ queue: DispatchQueue) -> () -> Bool {
    let target = DispatchQueue(label: "target")
    queue.setTarget(queue: target)
    return { [weak target] in target != nil }
  }

  @Test("The target of an inactive queue lives as long as it is held, though another has taken its place")
  func inactive() throws {
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let isThere = aim(queue)
    let held = try #require(queue.heldTarget())
    #expect(held.isCounted)
    queue.setTarget(queue: nil)
    #expect(isThere(), "it is held")
    held.letGo()
    #expect(!isThere(), "nobody has it")
    queue.activate()
  }

  @Test("Who follows the targets of an inactive queue holds each while it is asked")
  func followed() {
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let isThere = aim(queue)
    let found: Bool? = queue.firstInChain { here in
      guard here !== queue else { return nil }
      queue.setTarget(queue: nil)
      return isThere()
    }
    #expect(found == true, "it was held")
    #expect(!isThere(), "nobody has it")
    queue.activate()
  }

  @Test("Who follows the targets to their end has let go of each")
  func followedToTheEnd() {
    let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let isThere = aim(queue)
    var count = 0
    let found: Bool? = queue.firstInChain { _ in
      count += 1
      return nil
    }
    #expect(found == nil && count == 3, "the queue, its target and that one's")
    queue.setTarget(queue: nil)
    #expect(!isThere(), "nobody has it")
    queue.activate()
  }

  @Test("A target that a worker's submission or list finds is let go of again")
  func letGo() {
    var isThere: () -> Bool = { true }
    do {
      let queue = DispatchQueue(
        cLabel: "legacy", isConcurrent: true, isInactive: false, isLegacy: true, qos: .unspecified, target: nil)
      isThere = aim(queue)
      _ = queue.target
      // As a worker gives away what lies in its own slot: out of place, because the target is no global queue.
      Pool.shared.submitShared(UInt64(UInt(bitPattern: Unmanaged.passRetained(queue).toOpaque())))
    }
    #expect(!isThere())
  }
}
