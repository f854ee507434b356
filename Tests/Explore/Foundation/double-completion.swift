// double-completion.swift: a request asks under its lock whether it has been completed, and marks that under the lock later.
// The answer and the cancellation can both get the answer no, and then its handler is called twice.
// Fix: asked and marked without letting the lock go, so exactly one of the two gets the answer no.
import Foundation

final class Request: @unchecked Sendable {
  // SAFETY: `isCompleted` is used under `lock` alone; `handler` never changes.
  private let lock = NSLock()
  private var isCompleted = false
  private let handler: @Sendable (String) -> Void

  init(handler: @escaping @Sendable (String) -> Void) { self.handler = handler }

  func complete(with outcome: String) {
    lock.lock()
    let isLate = isCompleted
    #if !MENDED
    lock.unlock()
    lock.lock()
    #endif
    isCompleted = true
    lock.unlock()
    if !isLate { handler(outcome) }
  }
}

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func inThreads(_ bodies: @Sendable () -> Void...) {
  let group = DispatchGroup()
  for body in bodies {
    group.enter()
    Thread {
      body()
      group.leave()
    }.start()
  }
  group.wait()
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

let lock = NSLock()
nonisolated(unsafe) var calls = 0  // SAFETY: used under `lock` alone.
let request = Request { _ in
  lock.withLock {
    calls += 1
    if calls > 1 { fail("completed twice") }
  }
}
inThreads(
  { request.complete(with: "answer") },
  {
    prepare()
    request.complete(with: "cancelled")
  })
