// lost-update.swift: three iterations run at once; each reads the total on the queue and stores its sum there in a second step.
// Two can read the same total, and then one of the two additions is lost.
// Fix: read and stored in one step, so every addition is to the last total.
import Dispatch
import Glibc

let queue = DispatchQueue(label: "total")
nonisolated(unsafe) var total = 0  // SAFETY: used on `queue` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

DispatchQueue.concurrentPerform(iterations: 3) { number in
  usleep(UInt32(number) * 15_000)
  #if MENDED
  queue.sync { total += number }
  #else
  let old = queue.sync { total }
  queue.sync { total = old + number }
  #endif
}
let isRight = queue.sync { total == 3 }
if !isRight { fail("an addition was lost") }
