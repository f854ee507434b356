// order-assumed.swift: two blocks go to a concurrent queue one after the other, and the second uses what the first has set up.
// A concurrent queue starts them in order but lets them run at once, so the second can be first where it matters.
// Fix: the queue is serial, so the second starts when the first has ended.
import Dispatch
import Glibc

#if MENDED
let queue = DispatchQueue(label: "work")
#else
let queue = DispatchQueue(label: "work", attributes: .concurrent)
#endif
let state = DispatchQueue(label: "state")
let group = DispatchGroup()
nonisolated(unsafe) var isSetUp = false  // SAFETY: used on `state` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

queue.async(group: group) { state.sync { isSetUp = true } }
queue.async(group: group) {
  usleep(40_000)
  let isUsable = state.sync { isSetUp }
  if !isUsable { fail("used before it was set up") }
}
group.wait()
