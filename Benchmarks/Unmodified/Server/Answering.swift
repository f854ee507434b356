// Answering.swift: what a request costs: a turn on an actor that counts, a lease of a pool of eight, as of connections
// to a data base, and a task group of four children, which compute. What is served to which client is Connection.swift.

/// Answers requests.
struct Answering: Sendable {
  private let visits = Visits()
  private let pool: LeasePool
  private static let children = 4, rounds: UInt64 = 500

  init(leases: Int) { pool = LeasePool(leases) }

  /// A line of text for a path: what was asked for, the number of requests until now, and a sum.
  func answer(_ path: Substring) async -> String {
    let visit = await visits.next()
    await pool.lease()
    let seed = path.utf8.reduce(UInt64(visit)) { $0 &* 31 &+ UInt64($1) }
    let sum = await withTaskGroup(of: UInt64.self) { group in
      for child in 0..<Self.children { group.addTask { Self.part(seed &+ UInt64(child)) } }
      return await group.reduce(0, &+)
    }
    await pool.giveBack()
    return "\(path) \(visit) \(sum)\n"
  }

  /// Some microseconds of work.
  private static func part(_ seed: UInt64) -> UInt64 {
    var value = seed | 1
    for _ in 0..<rounds {
      value ^= value << 13
      value ^= value >> 7
      value ^= value << 17
    }
    return value >> 8
  }
}

/// How many requests there were.
private actor Visits {
  private var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}

/// Leases that tasks share. A task that gets none waits for a continuation, the longest wait first.
private actor LeasePool {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Those before it were resumed.
  private var first = 0

  init(_ count: Int) { free = count }

  func lease() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func giveBack() {
    guard first < waiting.count else {
      free += 1
      return
    }
    let continuation = waiting[first]
    first += 1
    if first == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      first = 0
    }
    continuation.resume()
  }
}
