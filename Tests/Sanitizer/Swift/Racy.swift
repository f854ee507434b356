// Racy.swift: cases with one race each: two deeds that a dispatch object of some kind leaves without an order.

private func raceOn(_ first: DispatchQueue, _ second: DispatchQueue) {
  let group = DispatchGroup()
  first.async(group: group) { race.earlier() }
  second.async(group: group) { race.later() }
  group.wait()
}

let racyCases = [
  Case("on-global") { raceOn(.global(), .global()) },
  Case("on-two-serial") { raceOn(DispatchQueue(label: "one"), DispatchQueue(label: "other")) },
  Case("on-concurrent") {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    raceOn(queue, queue)
  },
  Case("with-main") {
    DispatchQueue.global().async {
      raceOn(DispatchQueue(label: "worker"), .main)
      DispatchQueue.main.async { finish() }
    }
    dispatchMain()
  },
  Case("with-a-task") {
    runAsync {
      async let deed: Void = race.earlier()
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "worker").async {
          race.later()
          continuation.resume()
        }
      }
      await deed
    }
  },
  Case("in-perform") { DispatchQueue.concurrentPerform(iterations: 2) { if $0 == 0 { race.earlier() } else { race.later() } } },
]
