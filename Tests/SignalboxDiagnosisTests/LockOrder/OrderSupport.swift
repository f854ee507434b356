// OrderSupport.swift: what the tests of the lock instruments share: locks with a place of their own, threads that are joined.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem

@testable import SignalboxLocks
import SignalboxWords

/// A lock as the lock types have it: made and freed where instruments hear of it.
final class Lock: Sendable {
  let core = LockCore()
  private let isNamed: Bool

  init(_ name: String? = nil, level: Int? = nil) {
    isNamed = name != nil
    core.isMade(.mutex)
    if let name { LockNames.name(core.address, name, level: level) }
  }
  deinit {
    core.isGone()
    if isNamed { LockNames.forget(core.address) }
  }

  func lock() { core.lock(.mutex) }
  func unlock() { precondition(core.unlock(.mutex), "a test unlocks what it does not hold") }
  func tryLock() -> Bool { core.tryLock(.mutex) }
  func lock(until deadline: LockDeadline) -> Bool { core.lock(.mutex, until: deadline) }
  func unlockForAnybody() -> Bool { core.unlockForAnybody(.mutex) }
  var address: UInt { core.address }
  func with<R>(_ body: () -> R) -> R {
    lock()
    defer { unlock() }
    return body()
  }
}

/// A reader-writer lock to the instruments; to itself it is nothing: the tests that use it are alone.
final class ReadersLock: Sendable {
  let word = Atomic64(0)
  var address: UInt { withUnsafePointer(to: word) { UInt(bitPattern: $0) } }
  func with(_ kind: WaitKind, _ body: () -> Void) {
    LockRequest(kind, address, isPatient: true).isGranted()
    body()
    LockEvent.released(address)
  }
  func read(_ body: () -> Void) { with(.readLock, body) }
  func write(_ body: () -> Void) { with(.writeLock, body) }
}

/// Runs `body` on a thread of its own and returns when that has ended.
func onThread(_ body: @escaping @Sendable () -> Void) { Thread(body).join() }

/// A POSIX thread.
final class Thread: @unchecked Sendable {
  // SAFETY: set once, before anybody else has the object.
  private var handle = pthread_t()
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    let status = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
  }
  func join() { pthread_join(handle, nil) }
}
