// CountTests.swift: misuse that shows in a count: a group entered too often, a queue suspended too often, a once inside itself.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Unbalanced calls stop the program") struct CountTests {
  /// The group's word: a group's only state that counts, found by what one enter() does to it.
  static func word(of group: DispatchGroup) -> UnsafeMutablePointer<Atomic64> {
    let raw = UnsafeMutableRawPointer(bitPattern: group.address)!
    group.enter()
    defer { group.leave() }
    let offset = stride(from: 16, to: 64, by: 8).first { raw.load(fromByteOffset: $0, as: UInt64.self) == GroupState.count.one }
    return (raw + offset!).assumingMemoryBound(to: Atomic64.self)
  }

  @Test("Entering a group more often than it can count stops the program")
  func enterOverflow() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let group = DispatchGroup()
      let word = CountTests.word(of: group)
      word.pointee.storeRelaxed((GroupState.count.mask - 1) * GroupState.count.one)
      #expect(group.memberCount == (1 << 30) - 2)
      group.enter()  // the last one that fits
      #expect(group.memberCount == (1 << 30) - 1)
      group.enter()
    }
    expectStop(result, saying: "is entered 1073741823 times without a leave: balance every enter()")
  }

  @Test("A queue that cannot count one more suspension stops the program")
  func suspendOverflow() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "sleepy")
      while true { queue.suspend() }
    }
    expectStop(result, saying: "queue \"sleepy\" is suspended more than 32767 times at once")
  }

  @Test("A once whose block calls itself stops the program")
  func onceInsideItself() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      nonisolated(unsafe) let token = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      token.initialize(to: 0)
      OnceToken.run(token) { OnceToken.run(token) {} }
    }
    expectStop(result, saying: "misuse: dispatch_once was called with a token whose block is running")
  }
}
