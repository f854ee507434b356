// Locking.swift: what the tests say of locks: dates that come and dates that do not, and asking a lock from another thread.
// Thread helpers and witnesses are those of the tests of Dispatch.

/// A date that no test reaches: the toolchain's waits stop the program for `.distantFuture` (Differences/locks.json).
func far() -> Date { Date(timeIntervalSinceNow: 3_600) }

/// A date a moment from now.
func soon() -> Date { Date(timeIntervalSinceNow: 0.02) }

/// Dates that have passed when they are made.
let pastDates: [Date] = [
  .distantPast, Date(timeIntervalSince1970: -5.5), Date(timeIntervalSince1970: 0), Date(timeIntervalSinceNow: -1),
  Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: -.infinity),
]

/// Dates that never come.
let endlessDates: [Date] = [
  .distantFuture, Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: 1e300),
  Date(timeIntervalSince1970: 2e10),
]

/// What the locks under test have in common.
protocol Lockable: AnyObject, Sendable, NSLocking {
  func take(before limit: Date) -> Bool
  func take() -> Bool
  var title: String? { get set }
}

extension NSLock: Lockable {
  func take(before limit: Date) -> Bool { lock(before: limit) }
  func take() -> Bool { `try`() }
  var title: String? {
    get { name }
    set { name = newValue }
  }
}
extension NSRecursiveLock: Lockable {
  func take(before limit: Date) -> Bool { lock(before: limit) }
  func take() -> Bool { `try`() }
  var title: String? {
    get { name }
    set { name = newValue }
  }
}
extension NSConditionLock: Lockable {
  func take(before limit: Date) -> Bool { lock(before: limit) }
  func take() -> Bool { `try`() }
  var title: String? {
    get { name }
    set { name = newValue }
  }
}

/// The three kinds of lock with a deadline, as an argument.
enum LockKind: CaseIterable, Sendable {
  case plain, recursive, condition

  func make() -> any Lockable {
    switch self {
    case .plain: NSLock()
    case .recursive: NSRecursiveLock()
    case .condition: NSConditionLock()
    }
  }
}

/// What `body` says on a thread of its own.
func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let answer = Monitor<Value?>(nil)
  onThread { answer.access { $0 = body() } }.join()
  return answer.access { $0! }
}

/// Whether another thread could take `lock` now; it gives it back.
func isFree(_ lock: any Lockable) -> Bool {
  elsewhere {
    guard lock.take() else { return false }
    lock.unlock()
    return true
  }
}
