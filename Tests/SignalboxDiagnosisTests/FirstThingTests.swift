// FirstThingTests.swift: each layer has registered before anything of it can be used. Each case is a process of its own, whose first use of
// Signalbox is the one way in that it names; what is asked then must have names.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

/// A way in, and what a report must say after it.
private enum FirstThing: Int, CaseIterable {
  case sync, barrier, shared, asyncAndWait, item, globalItem, loop, workItem, groupItem
  case queueOnly, groupOnly, semaphoreOnly, readerWriterOnly, order, stalls

  /// Takes the way, and asks.
  func take() -> Bool {
    let serial = { DispatchQueue(label: "store") }, concurrent = { DispatchQueue(label: "store", attributes: .concurrent) }
    switch self {
    case .sync: return serial().sync { told() == ["sync on serial queue \"store\""] }
    case .barrier: return concurrent().sync(flags: .barrier) { told() == ["sync on concurrent queue \"store\""] }
    case .shared: return concurrent().sync { told() == ["sync on concurrent queue \"store\""] }
    case .asyncAndWait: return serial().asyncAndWait { told().first?.hasSuffix("serial queue \"store\"") == true }
    case .item: return onAnotherThread { serial().async(execute: $0) } == ["an item of serial queue \"store\""]
    case .globalItem:
      return onAnotherThread { DispatchQueue.global().async(execute: $0) }.first?.hasPrefix("an item of global queue") == true
    case .loop:
      let right = Count()
      concurrent().sync {
        DispatchQueue.concurrentPerform(iterations: 1) { _ in if told().first?.contains("store") == true { right.add() } }
      }
      return right.value == 1
    case .workItem:
      return onAnotherThread { serial().async(execute: DispatchWorkItem(block: $0)) } == ["an item of serial queue \"store\""]
    case .groupItem:
      return onAnotherThread { serial().async(group: DispatchGroup(), execute: $0) } == ["an item of serial queue \"store\""]
    case .queueOnly:
      let queue = concurrent()
      return name(.sync, queue) == "concurrent queue \"store\""
        && description(.sync, queue).hasPrefix("<DispatchQueue \"store\"")
    case .groupOnly:
      let group = DispatchGroup()
      return name(.group, group).hasPrefix("group 0x") && description(.group, group).hasPrefix("<DispatchGroup")
    case .semaphoreOnly:
      let semaphore = DispatchSemaphore(value: 0)
      return name(.semaphore, semaphore).hasPrefix("semaphore 0x")
        && description(.semaphore, semaphore).hasPrefix("<DispatchSemaphore")
    case .readerWriterOnly:
      let lock = ReaderWriterLock()
      lock.writeLock()
      defer { lock.writeUnlock() }
      return OwnerReader().read(OwnerWord(lock.address, .readerWriter)).owner == ThreadSlot.owner()
    case .order:
      let queue = DispatchQueue(label: "store", target: serial())
      let turn = Layers.first { $0.turn(of: address(queue)) }
      guard Layers.first({ $0.isOrdered(address(queue)) }) == true, turn?.target != 0 else { return false }
      return Layers.first { $0.label(ofQueue: address(queue)) } == "store"
    case .stalls:
      var snapshot = WaitSnapshot()
      Layers.forEach { $0.addNodes(to: &snapshot) }
      return snapshot.nodes[.mainQueue] != nil
    }
  }

  /// What a report says that the calling thread is inside of.
  private func told() -> [String] {
    let reports = Reports()
    Deadlock.tell(SelfWait(.mutex, .ownLock, object: 64, hint: ""))
    return reports.all.first?.participants.first?.frames ?? []
  }

  private func onAnotherThread(_ start: (@escaping @Sendable () -> Void) -> Void) -> [String] {
    final class Answer: @unchecked Sendable {
      // SAFETY of @unchecked: written before `isThere`, read after it.
      var frames: [String] = []
      let isThere = Count()
    }
    let answer = Answer()
    start {
      answer.frames = told()
      answer.isThere.add()
    }
    until("the item has run") { answer.isThere.value == 1 }
    return answer.frames
  }

  private func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }
  private func name(_ kind: WaitKind, _ object: AnyObject) -> String { ObjectNaming.name(kind, address(object)) }
  private func description(_ kind: WaitKind, _ object: AnyObject) -> String { ObjectNaming.description(kind, address(object)) }
}

@Suite("The first thing that a process does") struct FirstThingTests {
  @Test("has names in reports", arguments: FirstThing.allCases.map(\.rawValue))
  func first(number: Int) async {
    await #expect(processExitsWith: .success) { [number = number as Int] in
      alarm(500)
      let first = try #require(FirstThing(rawValue: number))
      #expect(first.take(), "\(first)")
      exit(0)
    }
  }
}
