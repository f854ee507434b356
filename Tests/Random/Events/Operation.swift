// Operation.swift: one read or write of a channel in a play: what its handler gets, and what must be true of it.
import Glibc
import Signalbox

/// What the operations of one descriptor share.
final class ChannelFacts: Sendable {
  let stage: Stage
  let name: String
  /// Whether a channel was closed, or let go, at all.
  let isClosed = Tally()
  /// Whether the other end is gone.
  let isCut = Tally()
  /// Operations and barriers that were given to open channels and have not ended.
  let pending = Tally()

  init(_ stage: Stage, _ name: String) { (self.stage, self.name) = (stage, name) }
  func fault(_ text: String) { stage.faults.add("\(name): \(text)") }
  func check(_ fact: Bool, _ text: @autoclosure () -> String) { if !fact { fault(text()) } }
}

/// The marks of a channel, as the documentation has them.
struct Marks {
  var low: Int?
  var high = Int.max
  var isStrict = false

  mutating func setHigh(_ bytes: Int) {
    high = max(1, bytes)
    if let old = low { low = min(old, high) }
  }
  mutating func setLow(_ bytes: Int) {
    low = bytes
    high = max(high, bytes)
  }
}

final class Operation: @unchecked Sendable {
  // SAFETY of @unchecked: the variables are touched by handlers, which run one at a time, and read once `isDone` is up.
  let isRead: Bool
  let length: Int
  private let facts: ChannelFacts
  private let marks: Marks
  private let token: Token
  /// Of a write: its bytes.
  private let whole: [UInt8]
  private let wasOpen: Bool
  /// Whether it was given no channel: it learns what is there.
  private let isSingle: Bool
  /// How many barriers must have returned before the first call.
  private let barriers: [Flag]

  private(set) var bytes: [UInt8] = []
  private(set) var error: Int32 = 0
  /// Of a write: what was not written.
  private(set) var rest: Int
  private var isShort = false
  private let inside = Tally(), calls = Tally()
  private let done = Flag()

  init(
    read length: Int, _ facts: ChannelFacts, _ marks: Marks, isOpen: Bool, behind barriers: [Flag] = [], isSingle: Bool = false
  ) {
    (isRead, self.length, whole, rest, self.isSingle) = (true, length, [], 0, isSingle)
    (self.facts, self.marks, self.barriers, wasOpen) = (facts, marks, barriers, isOpen)
    token = Token(facts.stage.living)
    if isOpen { facts.pending.add() }
  }

  init(write bytes: [UInt8], _ facts: ChannelFacts, _ marks: Marks, isOpen: Bool, behind barriers: [Flag] = []) {
    (isRead, length, whole, rest, isSingle) = (false, bytes.count, bytes, bytes.count, false)
    (self.facts, self.marks, self.barriers, wasOpen) = (facts, marks, barriers, isOpen)
    token = Token(facts.stage.living)
    if isOpen { facts.pending.add() }
  }

  var data: DispatchData { whole.withUnsafeBytes { DispatchData(bytes: $0) } }
  var isDone: Bool { done.isUp }
  /// Of a write: what was written.
  var written: ArraySlice<UInt8> { whole[..<(length - rest)] }

  private var name: String { "\(isRead ? "read" : "write") of \(length)" }
  private func check(_ fact: Bool, _ text: @autoclosure () -> String) { if !fact { facts.fault("\(name): \(text())") } }

  func hear(_ isLast: Bool, _ data: DispatchData?, _ error: Int32) {
    check(inside.add() == 0, "called while being called")
    check(!done.isUp, "called after the last call")
    if calls.add() == 0, error == 0 { check(barriers.allSatisfy(\.isUp), "goes before a barrier") }
    check(isLast || error == 0, "the error \(error) in a call that is not the last")
    if isRead { hearRead(isLast, data, error) } else { hearWrite(isLast, data, error) }
    self.error = error
    if isLast && wasOpen { facts.pending.add(-1) }
    inside.add(-1)
    if isLast { done.raise() }
  }

  private func hearRead(_ isLast: Bool, _ data: DispatchData?, _ error: Int32) {
    check((data == nil) == (error != 0), "data \(data == nil ? "lacks" : "comes") with the error \(error)")
    let count = data?.count ?? 0
    check(count <= marks.high, "\(count) bytes in a report, at most \(marks.high)")
    check(!isShort || isLast, "goes on after a report of less than the low mark")
    isShort = !isLast && !marks.isStrict && count < marks.low ?? 0
    data.map { bytes.append(contentsOf: $0) }
    check(bytes.count <= length, "\(bytes.count) bytes in all")
    guard isLast else { return }
    switch error {
    case 0 where isSingle: check(count > 0 || facts.isCut.value != 0, "no bytes, and it is not the end")
    case 0: check(bytes.count == length || count == 0 && facts.isCut.value != 0, "ends after \(bytes.count) bytes")
    case ECANCELED: check(facts.isClosed.value != 0, "cancelled, and nobody has closed")
    default: check(false, "the error \(error)")
    }
  }

  private func hearWrite(_ isLast: Bool, _ data: DispatchData?, _ error: Int32) {
    let now = data?.count ?? 0
    check(now <= rest, "\(now) bytes are left, and there were \(rest)")
    rest = min(now, rest)
    // All of them once: a low high mark has thousands of reports.
    let known = isLast ? rest : min(rest, 32)
    let (left, expected) = (data?.prefix(known) ?? DispatchData.empty[...], whole.suffix(rest).prefix(known))
    check(left.elementsEqual(expected), "other bytes are left than were not written")
    guard isLast else { return }
    switch error {
    case 0: check(rest == 0, "done, and \(rest) bytes are left")
    case ECANCELED: check(facts.isClosed.value != 0, "cancelled, and nobody has closed")
    case EPIPE, ECONNRESET: check(facts.isCut.value != 0, "the error \(error), and the reader is there")
    default: check(false, "the error \(error)")
    }
  }

  var summary: String { "\(name): calls \(calls.value), \(isDone ? "done" : "not done")" }
}
