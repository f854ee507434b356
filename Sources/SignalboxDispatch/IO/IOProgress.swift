// IOProgress.swift: how far one read or write has come, how often it reports, and what is to happen next. Pure: no
// descriptor, no bytes, no locks.
//
//   transferred   bytes moved so far               length     bytes asked for; Int.max: until the end
//   undelivered   those of them no report has told  low, high  what makes a report worth while, and its most bytes
//   INV-1  undelivered <= transferred <= length     INV-2  undelivered <= high
//   INV-3  after .finish nothing more happens
//
//   event                      report first?                      then
//   bytes, length reached      no: the last report tells them     finish
//   bytes, high mark reached   yes                                go on
//   bytes, low mark reached    once the source is drained, or a piece is full
//   would block                low mark reached                   wait
//   end, error, stop           reads: what is undelivered         finish
//   tick                       strict, or low mark reached        go on
// A single shot (the convenience functions) reports once: it ends where others wait after some bytes.

struct IOProgress: Equatable, Sendable {
  enum Direction: Sendable { case read, write }
  enum Next: Equatable, Sendable {
    /// Try to move more bytes at once.
    case transfer
    /// Nothing can be moved until the descriptor is ready.
    case wait
    /// The last report, with this error.
    case finish(Int32)
  }
  /// First the report of what is undelivered, if any is asked for; then what follows.
  struct Step: Equatable, Sendable {
    var reports = false
    var next: Next
  }

  let direction: Direction
  let length: Int
  let low: Int
  let high: Int
  /// The most bytes of one attempt.
  let piece: Int
  /// Whether the descriptor tells when it is ready: then having moved less than asked means to wait.
  let waits: Bool
  /// One report and no more.
  let isSingle: Bool
  private(set) var transferred = 0
  private(set) var undelivered = 0

  /// The low mark that nobody has set. Writes then report only what the high mark asks for.
  static let defaultLow = 1 << 20

  init(_ direction: Direction, length: Int, policy: IOPolicy, piece: Int, waits: Bool, isSingle: Bool = false) {
    self.direction = direction
    self.length = length
    high = isSingle ? .max : policy.high  // its one report has all
    low = policy.low ?? min(policy.high, direction == .read ? Self.defaultLow : Int.max)
    self.piece = piece
    self.waits = waits
    self.isSingle = isSingle
  }

  /// How many bytes the next attempt asks for: at least one.
  var request: Int { min(piece, length - transferred, high - undelivered) }

  /// Before the first attempt: an operation of no bytes is over.
  func begun() -> Step { Step(next: length == 0 ? .finish(0) : .transfer) }

  /// `count` bytes were moved of `asked` bytes asked for.
  mutating func moved(_ count: Int, of asked: Int) -> Step {
    transferred += count
    undelivered += count
    if transferred == length { return Step(next: .finish(0)) }
    let isDrained = count < asked
    if isSingle && direction == .read && isDrained { return Step(next: .finish(0)) }
    let isWorth = undelivered >= high || (isLowReached && (isDrained || undelivered >= piece))
    return Step(reports: isWorth && !isSingle, next: waits && isDrained ? .wait : .transfer)
  }

  /// Nothing was there, or there was no room.
  func blocked() -> Step {
    if isSingle && direction == .read && transferred > 0 { return Step(next: .finish(0)) }
    return Step(reports: isLowReached && !isSingle, next: .wait)
  }

  /// The end of the bytes (0), an error, or that it was stopped.
  func ended(_ error: Int32) -> Step {
    Step(reports: direction == .read && undelivered > 0 && !isSingle, next: .finish(error))
  }

  /// The interval has passed: whether there is to be a report.
  func ticked(isStrict: Bool) -> Bool { !isSingle && (isStrict || isLowReached) }

  /// A report took what was undelivered.
  mutating func reported() { undelivered = 0 }

  private var isLowReached: Bool { undelivered > 0 && undelivered >= low }
}

// MARK: how often it reports

// The marks and the interval of a channel. An operation takes those of the moment it is scheduled.

struct IOPolicy: Equatable, Sendable {
  /// Bytes a report is worth; nil until somebody sets it.
  private(set) var low: Int?
  /// The most bytes of one report.
  private(set) var high = Int.max
  /// Nanoseconds; the largest number is none.
  var interval = UInt64.max
  /// At the interval also what is less than the low mark, or nothing.
  var isStrict = false

  /// A high mark below the low one takes that along. None is less than a byte; more than the largest number counts as that.
  mutating func setHigh(_ bytes: Int) {
    high = bytes < 0 ? .max : max(1, bytes)
    if let old = low, old > high { low = high }
  }

  /// A low mark above the high one takes that along.
  mutating func setLow(_ bytes: Int) {
    let mark = bytes < 0 ? Int.max : bytes
    low = mark
    high = max(high, mark)
  }
}
