// UnfairLockTests.swift: the engine's own small lock: exclusion, what it passes through, and what it costs in memory.
import Glibc
import SignalboxLocks
import Testing

/// Runs `body` on so many POSIX threads and returns when all have ended.
private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  let handles = (0..<count).map { _ in
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
    return handle
  }
  for handle in handles { pthread_join(handle, nil) }
}

/// Plain variables that only the lock protects.
private final class Guarded: @unchecked Sendable {
  // SAFETY: touched only while `lock` is held, or after all threads have ended.
  let lock = UnfairLock()
  var sum = 0
  var inside = 0
  var mostInside = 0
}

@Suite struct UnfairLockTests {
  @Test("A lock is four bytes")
  func size() {
    #expect(MemoryLayout<UnfairLock>.size == 4 && MemoryLayout<UnfairLock>.stride == 4)
  }

  @Test("Eight threads are never inside together, and no addition is lost")
  func exclusion() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let guarded = Guarded()
      onThreads(8) {
        for round in 0..<20_000 {
          guarded.lock.withLock {
            guarded.inside += 1
            guarded.mostInside = max(guarded.mostInside, guarded.inside)
            guarded.sum += 1
            if round % 1_000 == 0 { sched_yield() }  // a holder that loses its processor makes the others sleep
            guarded.inside -= 1
          }
        }
      }
      #expect(guarded.sum == 160_000)
      #expect(guarded.mostInside == 1)
    }
  }

  @Test("Holders that sleep while others wait lose nobody")
  func sleepers() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let guarded = Guarded()
      onThreads(8) {
        for _ in 0..<20 {
          guarded.lock.withLock {
            guarded.sum += 1
            usleep(200)
          }
        }
      }
      #expect(guarded.sum == 160)
    }
  }

  @Test("An error leaves with its type, and the lock is free afterwards")
  func releasedOnThrow() {
    struct Wrong: Error, Equatable { let code: Int }
    let lock = UnfairLock()
    for code in 0..<3 {
      #expect(throws: Wrong(code: code)) { try lock.withLock { () throws(Wrong) in throw Wrong(code: code) } }
    }
    #expect(lock.withLock { 5 } == 5)
  }

  @Test("What the body makes is handed out, even what cannot be copied")
  func results() {
    struct Token: ~Copyable { let number: Int }
    let lock = UnfairLock()
    let token = lock.withLock { Token(number: 3) }
    #expect(token.number == 3)
  }
}
