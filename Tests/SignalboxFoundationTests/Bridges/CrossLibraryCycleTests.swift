// CrossLibraryCycleTests.swift: operations of both kinds that wait for one another in a cycle are reported by their names; what is no
// cycle is not.
import Foundation
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxFoundation
import SignalboxTestSupport
import Testing

private typealias OurBlock = SignalboxFoundation.BlockOperation
private typealias TheirBlock = Foundation.BlockOperation

private func ours(_ name: String) -> OurBlock {
  let operation = OurBlock {}
  operation.name = name
  return operation
}
private func theirs(_ name: String) -> TheirBlock {
  let operation = TheirBlock {}
  operation.name = name
  return operation
}

@Suite("Dependency cycles with Foundation's operations are reported") struct CrossLibraryCycleTests {
  @Test("A cycle of two operations of both libraries is reported, whichever dependency closes it")
  func two() async {
    var result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (one, other) = (ours("one"), theirs("other"))
      other.addDependency(one)
      one.addDependency(other)
      exit(0)
    }
    for name in [
      "2 operations wait for one another", "one", "operation \"other\" (Foundation's BlockOperation 0x", "fix: take one",
    ] {
      expectReport(result, saying: name)
    }
    result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (one, other) = (ours("one"), theirs("other"))
      one.addDependency(other)
      other.addDependency(one)
      exit(0)
    }
    expectReport(result, saying: "2 operations wait for one another")
  }

  @Test("A longer cycle, with dependencies inside of each library, is reported")
  func longer() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (a, b, c, d) = (ours("a"), ours("b"), theirs("c"), theirs("d"))
      b.addDependency(a)
      d.addDependency(c)
      c.addDependency(b)
      a.addDependency(d)
      exit(0)
    }
    expectReport(result, saying: "4 operations wait for one another")
  }

  @Test("A diamond, an opened cycle, and one through finished or cancelled operations are not reported")
  func none() {
    let queue = SignalboxFoundation.OperationQueue(), elsewhere = Foundation.OperationQueue()
    let (top, left, right, bottom) = (ours("top"), theirs("left"), theirs("right"), ours("bottom"))
    left.addDependency(top)
    right.addDependency(top)
    bottom.addDependency(left)
    bottom.addDependency(right)
    let (one, other) = (ours("one"), theirs("other"))
    one.removeDependency(one.addDependency(other))
    other.addDependency(one)
    let (early, late) = (ours("early"), theirs("late"))
    late.addDependency(early)
    late.cancel()
    early.addDependency(late)
    elsewhere.addOperations([left, right, other, late], waitUntilFinished: false)
    queue.addOperations([top, bottom, one, early], waitUntilFinished: true)
    elsewhere.waitUntilAllOperationsAreFinished()
    other.addDependency(top)
    top.addDependency(other)
  }

  @Test("A long chain across the kinds is built in a bearable time, and runs")
  func chain() {
    let queue = SignalboxFoundation.OperationQueue(), elsewhere = Foundation.OperationQueue()
    let (mine, their) = ((0..<200).map { ours("\($0)") }, (0..<200).map { theirs("\($0)") })
    for index in 0..<200 {
      their[index].addDependency(mine[index])
      if index > 0 { mine[index].addDependency(their[index - 1]) }
    }
    elsewhere.addOperations(their, waitUntilFinished: false)
    queue.addOperations(mine, waitUntilFinished: true)
    elsewhere.waitUntilAllOperationsAreFinished()
    let isOver = their.allSatisfy { $0.isFinished }
    #expect(isOver)
  }
}
