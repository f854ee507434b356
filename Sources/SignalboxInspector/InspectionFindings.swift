// InspectionFindings.swift: what stands out in an inspection, in a sentence each: a main thread that is kept, a pool of which every thread waits,
// workers that all wait for one thing, an urgent item behind others. Cycles are InspectionTables.swift's; what was found and is over a summary tells (SignalboxTimeline).

/// The sentences of one inspection, what hurts most first.
struct InspectionFindings {
  private let inspection: Inspection
  private let names: InspectionNames

  /// What keeps the main thread for less than a picture lasts on a screen is left out, as in summaries.
  private static let leastHeld = 0.016

  init(_ inspection: Inspection, _ names: InspectionNames) { (self.inspection, self.names) = (inspection, names) }

  var lines: [String] {
    mainThread + exhausted + stuck + common + urgent + TaskTables(inspection, names).findings + inspection.notes
  }

  // MARK: the main thread

  /// It waits or sleeps in an item of the main queue: so nothing else of that queue runs. Outside of items it may well wait.
  private var mainThread: [String] {
    guard let main = inspection.threads.first(where: \.isMain), main.inside.contains(where: \.isItem) else { return [] }
    let place = names.places.place(main.stack).map { ", at \($0)" } ?? ""
    if let wait = main.wait, let seconds = wait.seconds, seconds >= Self.leastHeld {
      return [
        "the main thread is kept in \(names.runs(main)): it waits for \(InspectionNames.time(seconds)) for \(names.object(wait))\(place); "
          + names.reason(wait)
      ]
    }
    return main.wait == nil
      ? main.call.map { ["the main thread is kept in \(names.runs(main)): it sleeps in \($0)\(place)"] } ?? [] : []
  }

  // MARK: the pool

  /// No thread is left that could take the items, and there may be no more threads.
  private var exhausted: [String] {
    let queues = inspection.queues.filter {
      $0.pending > 0 && $0.suspended == 0 && !$0.isInactive && $0.kind != "main" && $0.kind != "run loop" && $0.kind != "global"
    }
    return inspection.pools.compactMap { pool in
      let isStuck = pool.workers.values.allSatisfy { $0 == "waits" || $0 == "sleeps in an item" }
      guard pool.threads > 0, pool.limit > 0, pool.threads >= pool.limit, pool.running == 0, pool.idle == 0, isStuck,
        !queues.isEmpty
      else {
        return nil
      }
      let named = queues.sorted { ($0.pending, $1.label) > ($1.pending, $0.label) }
      let left = named.count > 3 ? ", and in \(named.count - 3) more queues" : ""
      return
        "the pool \(pool.name) is exhausted: all \(pool.threads) threads wait\(commonWait(pool)), and there may be no more; items lie in "
        + named.prefix(3).map { "\"\($0.label)\" (\($0.pending))" }.joined(separator: ", ") + left
    }
  }

  /// Without Signalbox: items lie in a global queue, and every thread that runs its items is asleep in one. The library
  /// begins another thread about once a second, up to a number that it does not tell.
  private var stuck: [String] {
    inspection.pools.compactMap { pool in
      guard pool.limit == 0, pool.threads > 0, pool.running == 0, let queue = full(pool) else { return nil }
      let threads =
        pool.threads == 1
        ? "the one thread that runs an item of it sleeps" : "all \(pool.threads) threads that run items of it sleep"
      return
        "\(queue.pending) \(queue.pending == 1 ? "item lies" : "items lie") in \(queue.title), and \(threads)\(commonWait(pool))"
    }
  }

  /// The pool's global queue, if items lie in it.
  private func full(_ pool: Inspection.Pool) -> Inspection.Queue? {
    inspection.queues.first { $0.kind == "global" && $0.label == pool.name && $0.pending > 0 }
  }

  /// What most of the pool's threads wait for.
  private func commonWait(_ pool: Inspection.Pool) -> String {
    var counts: [String: Int] = [:]
    for thread in inspection.threads where pool.workers[thread.id] != nil {
      guard let wait = thread.wait else { continue }
      counts[names.object(wait) + (names.places.place(thread.stack).map { " at \($0)" } ?? ""), default: 0] += 1
    }
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return "" }
    return ", \(most.value) of them for \(most.key)"
  }

  /// Every worker of a pool waits for one and the same thing: one act would free them all, or none ever runs again.
  private var common: [String] {
    inspection.pools.compactMap { pool in
      guard pool.threads > 1, pool.running == 0, pool.idle == 0, pool.workers.count == pool.threads,
        pool.limit > 0 || full(pool) == nil,
        pool.workers.values.allSatisfy({ $0 == "waits" })
      else { return nil }
      let workers = inspection.threads.filter { pool.workers[$0.id] != nil }, waits = workers.compactMap(\.wait)
      guard waits.count == pool.threads, let first = waits.first,
        waits.allSatisfy({ $0.object == first.object && $0.kind == first.kind })
      else { return nil }
      let places = Set(workers.map { names.places.place($0.stack) })
      let place = places.count == 1 ? places.first.flatMap { $0 }.map { " at \($0)" } ?? "" : ""
      let workersOf = pool.limit > 0 ? "workers of the pool" : "threads that run items of"
      return "all \(pool.threads) \(workersOf) \(pool.name) wait for \(names.object(first))\(place); " + names.reason(first)
    }
  }

  // MARK: urgent items

  private var urgent: [String] {
    let queues = inspection.queues.compactMap { queue in queue.urgent.map { (queue: queue, urgent: $0) } }
      .sorted { ($0.urgent.behind, $1.queue.label) > ($1.urgent.behind, $0.queue.label) }
    return queues.prefix(3).map { queue, urgent in
      let owner = queue.owner.map { "; \(names.thread($0)) has the queue" } ?? ""
      let runs = inspection.threads.first { $0.id == queue.owner }.map { ", and runs \(names.runs($0))" } ?? ""
      return
        "an urgent item (\(urgent.qos)) lies in \(queue.title) behind \(urgent.behind) less urgent \(urgent.behind == 1 ? "one" : "ones")"
        + owner + runs
    }
  }
}
