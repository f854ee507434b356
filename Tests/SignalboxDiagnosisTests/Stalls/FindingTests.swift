// FindingTests.swift: what is reported of a snapshot, as values: one cause for each, with the right threads, and nothing while
// anybody may act.
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// A thread that waits with us for something of `kind`.
private func waiting(_ number: Int32, _ kind: WaitKind = .semaphore, _ need: WaitNode.Need = .anyone) -> WaitNode {
  WaitNode(
    .thread(number), .needs(need), wait: .init(owner: UInt64(number), kind: kind, object: UInt(number) * 16))
}
private func idle(_ number: Int32) -> WaitNode { WaitNode(.thread(number), .needs(.anyone)) }
private func asleep(_ number: Int32) -> WaitNode { WaitNode(.thread(number), .asleep(.anyone)) }
private let roomyPool = WaitNode(.pool, .free, acts: false)
private func fullPool(_ workers: Int32...) -> WaitNode { WaitNode(.pool, .needs(.any(workers.map { .thread($0) }))) }
private func mainQueue(of thread: Int32, pending: Bool) -> WaitNode {
  WaitNode(.mainQueue, .needs(.all([.thread(thread)])), acts: pending)
}

private func told(_ nodes: WaitNode...) -> [StallFinding] { WaitSnapshot(nodes).findings() }

@Suite("What a snapshot of waits is found to be") struct FindingTests {
  @Test("When all wait or are idle a stall is certain, with all who wait")
  func nobody() {
    let found = told(waiting(1), waiting(2, .group), waiting(3, .unfairLock, .all([.thread(1)])), idle(4), roomyPool)
    #expect(
      found == [
        StallFinding(certainty: .certain, cause: .allWait, nodes: [.thread(1), .thread(2)], others: [.thread(3)])
      ])
  }

  @Test(
    "Nothing is reported while somebody runs, a timer is armed, work is queued where there is room, or a wait ends by time",
    arguments: [
      WaitNode(.thread(9), .free), WaitNode(.events, .free), WaitNode(.pool, .free, acts: true),
      WaitNode(.mainQueue, .free, acts: true),
    ])
  func somebody(_ node: WaitNode) { #expect(told(waiting(1), waiting(2, .group), idle(4), node).isEmpty) }

  @Test("When nobody waits nothing is reported, whoever sleeps")
  func allIdle() { #expect(told(idle(1), asleep(2), roomyPool, mainQueue(of: 2, pending: true)).isEmpty) }

  @Test("A thread that sleeps where we cannot see makes a stall suspected, and is named")
  func sleeper() {
    let found = told(waiting(1), asleep(7), idle(4))
    #expect(
      found == [StallFinding(certainty: .suspected, cause: .allWait, nodes: [.thread(1)], asleep: [.thread(7)])])
  }

  @Test("With an armed timer or descriptor only waits that have lasted for several periods are suspected")
  func events() {
    let armed = WaitNode(.events, .asleep(.any([])))
    var long = waiting(1)
    long.wait?.isLong = true
    #expect(told(waiting(1), idle(4), armed).isEmpty && told(long, waiting(2), idle(4), armed).isEmpty)
    #expect(
      told(long, idle(4), armed) == [
        StallFinding(certainty: .suspected, cause: .allWait, nodes: [.thread(1)], asleep: [.events])
      ])
    #expect(told(long, WaitNode(.thread(9), .free), armed).isEmpty, "that one may signal")
  }

  @Test("An exhausted pool is certain even if other threads run, when every worker waits for what is queued")
  func poolCertain() {
    let found = told(
      waiting(1, .sync, .all([.pool])), waiting(2, .sync, .all([.pool])), fullPool(1, 2), WaitNode(.thread(9), .free))
    #expect(found.map(\.cause) == [.pool] && found.map(\.certainty) == [.certain])
    #expect(found[0].nodes == [.thread(1), .thread(2)] && found[0].others.isEmpty)
  }

  @Test("An exhausted pool is the cause where work is queued, and the others that wait are listed")
  func poolIsTheCause() {
    let found = told(waiting(1), waiting(2), waiting(3, .group), fullPool(1, 2), idle(4))
    #expect(found.map(\.cause) == [.pool] && found[0].nodes == [.thread(1), .thread(2)] && found[0].others == [.thread(3)])
    #expect(told(waiting(1), waiting(2), fullPool(1, 2), WaitNode(.thread(9), .free)).isEmpty, "that one may signal")
  }

  @Test("The main queue's stall is reported when its thread waits, has ended, or is elsewhere")
  func mainQueues() {
    let wanting = waiting(2, .sync, .all([.mainQueue]))
    let parked = told(waiting(1), wanting, mainQueue(of: 1, pending: true))
    #expect(parked.map(\.cause) == [.mainQueue] && parked[0].nodes == [.thread(1), .thread(2)])
    let ended = told(
      WaitNode(.thread(1), .needs(.any([]))), wanting, mainQueue(of: 1, pending: true), WaitNode(.thread(9), .free))
    #expect(ended.map(\.cause) == [.mainQueue] && ended[0].certainty == .certain)
    for pending in [true, false] {
      var snapshot = WaitSnapshot([asleep(1), wanting, mainQueue(of: 1, pending: pending), WaitNode(.thread(9), .free)])
      snapshot.noteMainThreadAway()
      let away = snapshot.findings()
      #expect(away.map(\.cause) == (pending ? [.mainQueue] : []), "who runs may wake it, unless the items should have")
      #expect(away.allSatisfy { $0.certainty == .suspected })
    }
    let chain = told(
      waiting(1, .unfairLock, .all([.thread(2)])), waiting(2, .sync, .all([.mainQueue])), mainQueue(of: 1, pending: true))
    #expect(chain.isEmpty, "a cycle of owners is reported by others")
  }

  @Test("A cycle among objects of a layer above is found, also by way of a thread, beside a longer chain")
  func cycles() {
    func object(_ number: UInt, _ need: WaitNode.Need) -> WaitNode { WaitNode(.object(number), .needs(need), acts: false) }
    let runs = WaitNode(.thread(9), .free)
    let cycle = told(object(16, .all([.object(32)])), object(32, .all([.pool, .object(16)])), roomyPool, runs)
    #expect(cycle.map(\.cause) == [.cycle] && Set(cycle[0].nodes) == [.object(16), .object(32)])
    let byThread = told(
      waiting(1, .workItem, .all([.object(16)])), object(16, .all([.object(32)])), object(32, .all([.thread(1)])), runs)
    #expect(byThread.map(\.cause) == [.cycle] && byThread[0].nodes.count == 3)
    let behind = told(object(16, .all([.object(32)])), object(32, .any([])), object(48, .all([.object(48)])), runs)
    #expect(behind.map(\.cause) == [.cycle] && behind[0].nodes == [.object(48)])
    #expect(told(object(16, .all([.object(32)])), object(32, .all([.pool])), roomyPool, runs).isEmpty)
  }

  @Test("A cycle that the program may open is suspected while anybody acts, and certain when nobody is left")
  func changeable() {
    func object(_ number: UInt, _ need: WaitNode.Need) -> WaitNode { WaitNode(.object(number), .needs(need), acts: false) }
    let runs = WaitNode(.thread(9), .free)
    let waiter = waiting(1, .operation, .all([.object(16)])), queued = object(16, .changeable(.all([.object(32)])))
    let cycle = [waiter, queued, object(32, .all([.thread(1)]))]
    let suspected = WaitSnapshot(cycle + [runs]).findings()
    #expect(suspected.map(\.cause) == [.cycle] && suspected[0].certainty == .suspected && suspected[0].isChangeable)
    #expect(suspected[0].nodes == [.thread(1), .object(16), .object(32)] && suspected[0].asleep.isEmpty)
    let certain = WaitSnapshot(cycle + [idle(4), roomyPool]).findings()
    #expect(certain.map(\.cause) == [.cycle] && certain[0].certainty == .certain && !certain[0].isChangeable)
    let sleepy = WaitSnapshot(cycle + [asleep(4)]).findings()
    #expect(sleepy.map(\.certainty) == [.suspected], "who sleeps may wake and cancel")
    let ring = [object(16, .changeable(.all([.object(32)]))), object(32, .changeable(.all([.object(16)])))]
    #expect(WaitSnapshot(ring + [runs]).findings().isEmpty, "its layer reports it")
    #expect(WaitSnapshot(ring + [waiting(1), idle(4)]).findings().map(\.cause) == [.cycle])
  }

  @Test("The main queue is part of a cycle when its thread waits for what only it could start")
  func mainQueueInCycle() {
    let main = waiting(1, .operation, .all([.object(16)]))
    let place = WaitNode(.object(16), .needs(.changeable(.all([.mainQueue]))), acts: false)
    let found = told(main, place, mainQueue(of: 1, pending: true), WaitNode(.thread(9), .free))
    #expect(found.map(\.cause) == [.cycle] && found[0].nodes == [.thread(1), .object(16), .mainQueue])
  }

  @Test("A signal that the program handles makes a stall suspected, but not owners that wait for one another")
  func handlers() {
    let handler = WaitNode(.handlers, stamp: 1 << 14, .asleep(.any([])))
    #expect(
      told(waiting(1), idle(4), handler) == [
        StallFinding(certainty: .suspected, cause: .allWait, nodes: [.thread(1)], asleep: [.handlers])
      ])
    let found = told(
      waiting(1, .sync, .all([.pool])), waiting(2, .sync, .all([.pool])), fullPool(1, 2), handler)
    #expect(found.map(\.certainty) == [.certain])
  }

  @Test("A program is at a standstill when nobody runs and nothing is queued, armed or observed")
  func still() {
    func isStill(_ nodes: WaitNode...) -> Bool { WaitSnapshot(nodes).isStill }
    let handler = WaitNode(.handlers, stamp: 1 << 14, .asleep(.any([])))
    #expect(isStill(idle(1), asleep(2), roomyPool, mainQueue(of: 2, pending: false), handler))
    #expect(isStill(WaitNode(.thread(1), .needs(.any([]))), idle(2)), "the first thread has ended")
    for somebody in [
      WaitNode(.thread(9), .free), WaitNode(.events, .asleep(.any([]))), WaitNode(.pool, .free, acts: true),
      WaitNode(.mainQueue, .free, acts: true),
    ] { #expect(!isStill(idle(1), asleep(2), somebody)) }
  }
}
