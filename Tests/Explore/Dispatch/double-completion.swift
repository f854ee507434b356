// double-completion.swift: an answer and a time limit both complete a request, and each asks first whether it is completed.
// Both can get the answer no before either marks it, and then the handler is called twice.
// Fix: asked and marked in one step on the queue, so exactly one of the two gets the answer no.
import Dispatch
import Glibc

let state = DispatchQueue(label: "state")
let finished = DispatchSemaphore(value: 0)
nonisolated(unsafe) var isCompleted = false  // SAFETY: used on `state` alone.
nonisolated(unsafe) var calls = 0  // SAFETY: used on `state` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func complete() {
  #if MENDED
  let isLate = state.sync {
    defer { isCompleted = true }
    return isCompleted
  }
  #else
  let isLate = state.sync { isCompleted }
  state.sync { isCompleted = true }
  #endif
  if isLate { return }
  state.sync { calls += 1 }
  finished.signal()
}

let limit = DispatchWorkItem { @Sendable in complete() }
DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(30), execute: limit)
DispatchQueue.global().async { complete() }
finished.wait()
limit.cancel()
usleep(1_000)
let isCalledOnce = state.sync { calls == 1 }
if !isCalledOnce { fail("completed twice") }
