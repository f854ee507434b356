// double-resume.swift: whoever needs a paused queue asks whether it is paused, resumes it, and notes that afterwards.
// Two can both find it paused, and the second resume has no suspension to undo: a crash.
// Fix: asked, resumed and noted in one step, so it is resumed exactly once.
import Dispatch

let paused = DispatchQueue(label: "paused")
let state = DispatchQueue(label: "state")
let group = DispatchGroup()
nonisolated(unsafe) var isPaused = true  // SAFETY: used on `state` alone.

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func wake() {
  #if MENDED
  state.sync {
    if isPaused { paused.resume() }
    isPaused = false
  }
  #else
  if state.sync(execute: { isPaused }) {
    paused.resume()
    state.sync { isPaused = false }
  }
  #endif
}

paused.suspend()
for number in 0..<2 {
  DispatchQueue.global().async(group: group) {
    prepare(number * 3)
    wake()
  }
}
group.wait()
paused.sync {}
