// Support.swift: what the tests of the C-style names share: a list that any thread may add to, and waiting without a clock of their own.
import SignalboxCNames

/// A list in the order of its additions. Guarded by a queue, as the articles guard theirs.
final class Recorder<Element: Sendable>: @unchecked Sendable {
  // SAFETY of @unchecked: `list` is touched inside `queue` only.
  private let queue = dispatch_queue_create("recorder", DISPATCH_QUEUE_SERIAL)
  private var list: [Element] = []

  func add(_ element: Element) { dispatch_sync(queue) { list.append(element) } }
  var elements: [Element] {
    var copy: [Element] = []
    dispatch_sync(queue) { copy = list }
    return copy
  }
}

/// How many are inside at a time, at most.
final class Crowd: @unchecked Sendable {
  // SAFETY of @unchecked: both numbers are touched inside `queue` only.
  private let queue = dispatch_queue_create("crowd", DISPATCH_QUEUE_SERIAL)
  private var inside = 0
  private var most = 0

  func enter() {
    dispatch_sync(queue) {
      inside += 1
      most = max(most, inside)
    }
  }
  func leave() { dispatch_sync(queue) { inside -= 1 } }
  var peak: Int {
    var copy = 0
    dispatch_sync(queue) { copy = most }
    return copy
  }
}

/// `milliseconds` from now.
func soon(_ milliseconds: Int64) -> dispatch_time_t {
  dispatch_time(DISPATCH_TIME_NOW, milliseconds * Int64(NSEC_PER_MSEC))
}

/// Long enough for anything that is going to happen; a test that waits this long has failed.
func eventually() -> dispatch_time_t { soon(20_000) }

/// Sleeps.
func pause(_ milliseconds: Int64) { dispatch_semaphore_wait(dispatch_semaphore_create(0), soon(milliseconds)) }

/// A word to hand over as a context, and back.
func word(_ value: Int) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: value)! }
func value(_ word: UnsafeMutableRawPointer?) -> Int { Int(bitPattern: word) }
