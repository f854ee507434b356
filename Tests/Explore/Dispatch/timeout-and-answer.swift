// timeout-and-answer.swift: a client waits for each answer with a time limit, on one semaphore for all its requests.
// An answer that comes after the client has given up leaves a signal behind, and the next request takes that for its own answer.
// Fix: each request has a semaphore of its own, which a late answer to another one never touches.
import Dispatch
import Glibc

let store = DispatchQueue(label: "store")
let server = DispatchQueue(label: "server")
let shared = DispatchSemaphore(value: 0)
nonisolated(unsafe) var answered: Set<Int> = []  // SAFETY: used on `store` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func ask(_ number: Int) {
  #if MENDED
  let semaphore = DispatchSemaphore(value: 0)
  #else
  let semaphore = shared
  #endif
  server.async {
    store.sync { _ = answered.insert(number) }
    semaphore.signal()
  }
  let isInTime = semaphore.wait(timeout: .now() + .milliseconds(40)) == .success
  let isAnswered = store.sync { answered.contains(number) }
  if isInTime && !isAnswered { fail("request \(number) took the answer of another one") }
}

ask(1)
ask(2)
server.sync {}
