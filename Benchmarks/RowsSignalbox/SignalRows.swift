// SignalRows.swift: semaphores and groups, without and with another thread at the other end.
import BenchSupport

func signalRows() -> [Row] {
  [
    Row("semaphore-pair", .signals, "signal and wait by one thread", bar: .ratio(1.5), floor: .swapPair) {
      let semaphore = DispatchSemaphore(value: 0)
      return .timed { count in
        for _ in 0..<count {
          semaphore.signal()
          semaphore.wait()
        }
      }
    },
    Row(
      "semaphore-handoff", .signals, "there and back between two threads over two semaphores", bar: .notSlowerOrNearFloor,
      floor: .wakeRoundTrip
    ) {
      let there = DispatchSemaphore(value: 0), back = DispatchSemaphore(value: 0)
      let crew = Crew(threads: 2, division: .equalParts, placement: .free) { member, share in
        for _ in 0..<share {
          if member == 0 {
            there.signal()
            back.wait()
          } else {
            there.wait()
            back.signal()
          }
        }
      }
      return .selfTimed { count in crew.run(count * 2) }
    },
    Row("group-enter-leave", .signals, "enter and leave", bar: .ratio(1.6), floor: .swapPair) {
      let group = DispatchGroup()
      return .timed { count in
        for _ in 0..<count {
          group.enter()
          group.leave()
        }
      }
    },
    Row(
      "group-notify", .signals, "notify of an empty group, run on a serial queue", bar: .notSlower, floor: .storedCall,
      batch: .fixed(20_000)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      let group = DispatchGroup()
      return .timed { count in
        for _ in 0..<count { group.notify(queue: queue) { opaqueBody() } }
        queue.sync { opaqueBody() }
      }
    },
    Row("group-wait-empty", .signals, "wait for an empty group", bar: .notSlower, floor: .body(calls: 1)) {
      let group = DispatchGroup()
      return .timed { count in for _ in 0..<count { group.wait() } }
    },
    Row("semaphore-create", .signals, "make and free a semaphore", bar: .notSlower, floor: .allocation(bytes: 64)) {
      .timed { count in for _ in 0..<count { keep(DispatchSemaphore(value: 0)) } }
    },
    Row("group-create", .signals, "make and free a group", bar: .notSlower, floor: .allocation(bytes: 64)) {
      .timed { count in for _ in 0..<count { keep(DispatchGroup()) } }
    },
  ]
}
