// Suspicions.swift: cycles that one scan has found, until another finds them again. Pure: no clock, no threads.

/// Cycles seen once, which are reported when they are seen again.
struct Suspicions {
  /// Nanoseconds between the two scans that count, at least.
  static let distance: UInt64 = 500_000_000
  /// Nanoseconds after which a cycle seen once is searched for again.
  static let recheck: UInt64 = 1_000_000_000

  private struct Suspicion {
    var firstSeen: UInt64
    var thread: Int32
    var isTold = false
  }
  private var all: [MixedCycle.Identity: Suspicion] = [:]

  /// The cycles of one scan, at `now`, which began at the `threads(dueBy: now)` too. Returns those that are to be reported, each
  /// once; of a mutex's sleeper it is now known since when.
  mutating func confirm(_ cycles: [MixedCycle], now: UInt64) -> [MixedCycle] {
    var told: [MixedCycle] = []
    var seen: Set<MixedCycle.Identity> = []
    for cycle in cycles where seen.insert(cycle.identity).inserted {
      var suspicion = all[cycle.identity] ?? Suspicion(firstSeen: now, thread: cycle.participants[0].thread)
      if !suspicion.isTold, now >= suspicion.firstSeen &+ Self.distance {
        suspicion.isTold = true
        told.append(cycle.seenSince(suspicion.firstSeen))
      }
      all[cycle.identity] = suspicion
    }
    // What was searched for again and not seen is no cycle. Reported ones are kept so as not to be reported again;
    // where a program lets a thousand deadlocks stand, they may be reported twice.
    let forgetsTold = all.count > 1_000
    all = all.filter { identity, suspicion in
      suspicion.isTold ? !forgetsTold : seen.contains(identity) || now < suspicion.firstSeen &+ Self.recheck
    }
    return told
  }

  /// When a cycle seen once is to be searched for again; nil if none is.
  var next: UInt64? { all.values.filter { !$0.isTold }.map { $0.firstSeen &+ Self.recheck }.min() }

  /// A thread of each cycle that is to be searched for again by `now`.
  func threads(dueBy now: UInt64) -> [Int32] {
    all.values.filter { !$0.isTold && now >= $0.firstSeen &+ Self.recheck }.map(\.thread)
  }
}

extension MixedCycle {
  fileprivate func seenSince(_ time: UInt64) -> MixedCycle {
    var cycle = self
    for index in cycle.participants.indices where cycle.participants[index].sequence == nil {
      cycle.participants[index].since = time
    }
    return cycle
  }
}
