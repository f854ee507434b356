// Site.swift: one queue of a world together with what it guards: plain variables that only the queue's own turns protect.
import Signalbox
import Synchronization

/// A queue and its checks. Everything plain in here is written in the queue's turn and nowhere else: the thread sanitizer then
/// proves, or refutes, that turns follow one another in order.
final class Site: @unchecked Sendable {
  // SAFETY of @unchecked: plain variables are touched in the queue's turn only; that this suffices is what is tested.

  /// Its place in the world's order; queues that come and go have `passing`.
  let rank: Int
  let queue: DispatchQueue
  let isSerial: Bool
  let target: Site?
  /// The highest rank whose turn is held while an item runs here: waits go to higher ranks only, so no cycle can close.
  let reach: Int
  private let failures: Failures

  static let passing = -1
  static let key = DispatchSpecificKey<SiteMark>()

  /// Turns taken alone: plain, and beside it what it must come to.
  private var turns = 0
  private let expectedTurns = Atomic<Int>(0)
  /// Who is inside: readers in the low half, those alone in the high half.
  private let inside = Atomic<Int>(0)
  private static let one = 1 << 32

  /// Per thread of the world: the last number seen, of a serial queue; of a concurrent one, its readers that began and ended.
  private var lastOrder: [Int]
  private let readers: [ReaderCount]

  private final class ReaderCount: Sendable {
    let began = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
  }

  init(_ plan: SitePlan, rank: Int, target: Site?, threads: Int, census: Census, failures: Failures) {
    self.rank = rank
    self.target = target
    self.failures = failures
    isSerial = plan.isSerial
    reach = max(rank, target?.reach ?? Site.passing)
    queue = plan.makeQueue(target: target?.queue)
    lastOrder = Array(repeating: 0, count: threads)
    readers = (0..<(plan.isSerial ? 0 : threads)).map { _ in ReaderCount() }
    queue.setSpecific(key: Site.key, value: SiteMark(queue.label, Token(census)))
  }

  /// A place in a thread's own order of submissions to one queue.
  struct Order {
    let thread: Int
    let number: Int
    /// Of a concurrent queue: how many readers this thread submitted before.
    let readersBefore: Int
  }

  // MARK: one turn

  /// Runs `body` as what the queue runs in its turn, with all checks around it.
  func visit<R>(isBarrier: Bool, _ order: Order?, _ body: () -> R) -> R {
    let isAlone = isSerial || isBarrier
    checkPlace()
    enter(isAlone: isAlone)
    for ancestor in ancestors { ancestor.enter(isAlone: ancestor.isSerial) }
    if let order { checkOrder(order, isAlone: isAlone) }
    let before = turns
    let result = body()
    if turns != before { failures.add("\(queue.label): somebody else took a turn meanwhile") }
    if let order, !isAlone { readers[order.thread].ended.add(1, ordering: .relaxed) }
    for ancestor in ancestors.reversed() { ancestor.leave(isAlone: ancestor.isSerial) }
    leave(isAlone: isAlone)
    return result
  }

  private var ancestors: [Site] { Array(sequence(first: self, next: \.target).dropFirst()) }

  private func enter(isAlone: Bool) {
    if isAlone {
      let before = inside.add(Site.one, ordering: .relaxed).oldValue
      if before != 0 { failures.add("\(queue.label): alone with \(before & 0xFFFF_FFFF) readers, \(before >> 32) others") }
      turns += 1
      expectedTurns.add(1, ordering: .relaxed)
    } else {
      let before = inside.add(1, ordering: .relaxed).oldValue
      if before >= Site.one { failures.add("\(queue.label): a reader beside somebody who is alone") }
      _ = turns
    }
  }
  private func leave(isAlone: Bool) { inside.subtract(isAlone ? Site.one : 1, ordering: .relaxed) }

  private func checkOrder(_ order: Order, isAlone: Bool) {
    if isSerial {
      if order.number <= lastOrder[order.thread] {
        failures.add("\(queue.label): thread \(order.thread)'s \(order.number) after its \(lastOrder[order.thread])")
      }
      lastOrder[order.thread] = order.number
      return
    }
    let count = readers[order.thread]
    if isAlone {
      let (began, ended) = (count.began.load(ordering: .relaxed), count.ended.load(ordering: .relaxed))
      if began != order.readersBefore || ended != began {
        failures.add(
          "\(queue.label): a barrier of thread \(order.thread) runs after \(began)/\(ended) readers (began/ended) "
            + "instead of \(order.readersBefore)")
      }
      lastOrder[order.thread] = order.number
    } else {
      count.began.add(1, ordering: .relaxed)
      if order.number <= lastOrder[order.thread] {
        failures.add("\(queue.label): thread \(order.thread)'s reader \(order.number) after its later barrier")
      }
    }
  }

  private func checkPlace() {
    let mark = DispatchQueue.getSpecific(key: Site.key)
    if mark?.label != queue.label {
      failures.add("\(queue.label): the current queue's specific value is that of \(mark?.label ?? "nobody")")
    }
    if DispatchQueue.currentLabel != queue.label {
      failures.add("\(queue.label): the current label is \(DispatchQueue.currentLabel ?? "none")")
    }
    dispatchPrecondition(condition: .onQueue(queue))
  }

  // MARK: the end

  /// The world is quiet: compares the plain counts with the atomic ones, in the queue's turn.
  func checkBalance() {
    let check: () -> Void = { [self] in
      let expected = expectedTurns.load(ordering: .relaxed)
      failures.check(turns == expected, "\(queue.label): \(turns) turns counted, \(expected) taken")
      failures.check(inside.load(ordering: .relaxed) == 0, "\(queue.label): somebody is still inside")
    }
    if isSerial { queue.sync(execute: check) } else { queue.sync(flags: .barrier, execute: check) }
  }

  /// One line for the report of a round that hangs.
  var description: String {
    let (here, kind) = (inside.load(ordering: .relaxed), isSerial ? "serial" : "concurrent")
    return "\(queue.label): \(kind), target \(target?.queue.label ?? "global"), inside \(here & 0xFFFF_FFFF) readers and "
      + "\(here >> 32) alone, \(expectedTurns.load(ordering: .relaxed)) turns so far"
  }
}

/// What a site's queue keeps under `Site.key`.
final class SiteMark: Sendable {
  let label: String
  private let token: Token
  init(_ label: String, _ token: Token) {
    self.label = label
    self.token = token
  }
}

/// How a site's queue is to be made.
struct SitePlan {
  let label: String
  let isSerial: Bool
  var qos = DispatchQoS.unspecified
  var isInactive = false
  /// Made with another target, which is replaced before activation.
  var isRetargeted = false

  func makeQueue(target: DispatchQueue?) -> DispatchQueue {
    var attributes: DispatchQueue.Attributes = isSerial ? [] : .concurrent
    if isInactive { attributes.insert(.initiallyInactive) }
    let queue = DispatchQueue(label: label, qos: qos, attributes: attributes, target: isRetargeted ? nil : target)
    if isRetargeted { queue.setTarget(queue: target) }
    return queue
  }
}
