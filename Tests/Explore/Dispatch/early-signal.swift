// early-signal.swift: a loader signals the semaphore when the first of its two parts is there, and stores the second after that.
// Who has waited for the semaphore takes that for the sign that all is there, and can read between the two.
// Fix: the signal comes after both, so whoever has come through the semaphore finds both.
import Dispatch
import Glibc

let loaded = DispatchSemaphore(value: 0)
let store = DispatchQueue(label: "store")
let loader = DispatchQueue(label: "loader")
nonisolated(unsafe) var parts = 0  // SAFETY: used on `store` alone.

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

loader.async {
  store.sync { parts += 1 }
  #if MENDED
  store.sync { parts += 1 }
  loaded.signal()
  #else
  loaded.signal()
  store.sync { parts += 1 }
  #endif
}
prepare(10)
loaded.wait()
let isComplete = store.sync { parts == 2 }
if !isComplete { fail("a part is missing") }
loader.sync {}
