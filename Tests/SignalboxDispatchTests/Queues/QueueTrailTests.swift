// QueueTrailTests.swift: the way from a wait for a queue to the thread that could end it: read anew at each check, and
// never through what is gone.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxDispatch

/// The words from a queue on, as code finds them that only has its address.
private func trail(_ queue: DispatchQueue) -> [OwnerReading] {
  var trail = OwnerTrail(QueueWaits.words(of: queue))
  if trail.isEmpty { return [] }
  var found = [trail.word.reading]
  while true {
    let answer = trail.read()
    guard answer.owner == 0, answer.followsNext, trail.goOn(answer) else { return found }
    found.append(trail.word.reading)
  }
}

/// Runs `body` while an item of `queue` is under way.
private func whileBusy(_ queue: DispatchQueue, _ body: (_ owner: UInt64) -> Void) {
  let (begun, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let owner = Atomic64(0)
  withUnsafePointer(to: owner) { owner in
    // SAFETY: the item ends before this returns.
    let address = UInt(bitPattern: owner)
    let ended = DispatchSemaphore(value: 0)
    queue.async {
      UnsafePointer<Atomic64>(bitPattern: address)!.pointee.storeRelease(ThreadSlot.owner())
      begun.signal()
      over.wait()
      ended.signal()
    }
    begun.wait()
    body(owner.pointee.loadAcquire())
    over.signal()
    ended.wait()
  }
}

@Suite("The trail from a wait for a queue to whoever can end it") struct QueueTrailTests {
  @Test("The kind of a queue is read from its memory, by whoever has its address alone")
  func kinds() {
    let own = [DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent)]
    let all = own + [MainQueue.queue, .global(), .global(qos: .background), RunLoopQueue(label: "loop")]
    #expect(
      all.map { OwnerReader().kind(ofQueue: UInt64($0.address)) } == [.serial, .concurrent, .main, .global, .global, .runLoop])
    let closed = mmap(nil, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    defer { munmap(closed, 4096) }
    #expect(OwnerReader().kind(ofQueue: UInt64(UInt(bitPattern: closed))) == nil)
    let nowhere = OwnerTrail(OwnerWords(OwnerWord(UInt(bitPattern: closed), .serialQueue)))
    #expect(nowhere.read() == OwnerAnswer(), "nothing is read where nothing is")
  }

  @Test("A wait record names only the queue; its target is read at the time of the walk")
  func targets() {
    let first = DispatchQueue(label: "first"), second = DispatchQueue(label: "second", attributes: .concurrent, target: first)
    let queue = DispatchQueue(legacyLabel: "moves", isConcurrent: false, isInactive: false, qos: .unspecified, target: nil)
    #expect(QueueWaits.words(of: queue).count == 1)
    #expect(trail(queue) == [.serialQueue], "idle: it waits for nothing")
    queue.setTarget(queue: second)
    whileBusy(first) { owner in
      queue.async {}
      #expect(eventually { trail(queue) == [.serialQueue, .concurrentQueue, .serialQueue] })
      var there = OwnerTrail(QueueWaits.words(of: queue))
      #expect(there.goOn(to: 2) && there.read().owner == owner)
    }
    queue.sync {}
    queue.setTarget(queue: first)
    whileBusy(first) { _ in
      queue.async {}
      #expect(eventually { trail(queue) == [.serialQueue, .serialQueue] }, "the new target, not the one it was made with")
    }
    queue.sync {}
  }
}
