// RemoteAnswer.swift: what was read of a process, in the form in which a process answers: so that tables, pictures and programs need not know the
// difference. What is read is RemoteInspection.swift; the fields are described in SignalboxDiagnosis/Inspection/README.md.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension RemoteInspection {
  /// The answer: for once, since it numbers the files.
  var answer: JSON {
    mutating get {
      let threads = threads.map { json($0) }, found = events, events = found.fields { place($0) }
      let queues = queues.values.sorted { $0.address < $1.address }.map { json($0) }
      let unread = unread, lost: [(name: String, value: JSON)] = lost > 0 ? [("lost", .number(Double(lost)))] : []
      return .object(
        lost + [
          ("version", .number(1)), ("process", .number(Double(process.id))), ("copy", .string(copy.image)),
          ("source", .string(process.source)),
          (
            "circles",
            .array(
              cycles.map {
                .object([
                  ("certainty", .string($0.isCertain ? "certain" : "suspected")),
                  ("threads", .array($0.threads.map { .number(Double($0)) })),
                ])
              })
          ),
          ("threads", .array(threads)), ("queues", .array(queues)),
          ("pools", .array(pools.pools.map { json($0) })),
        ] + events + [
          ("unread", .array(unread.map { .string($0) })), ("images", .array(images.map { .string($0) })),
        ])
    }
  }

  /// How many pieces of a core dump make no sense. Of a running process they may have changed while they were read.
  private var lost: Int {
    guard process.source == "core" else { return 0 }
    return unreadQueues + brokenLists + pools.unread + threads.filter(\.isBroken).count + events.lost
  }

  private var unread: [String] {
    var found = process.unread
    let moving = threads.filter(\.isUnread).count
    if moving > 0 { found.append("the waits of \(moving) threads, which began and ended while they were read") }
    let queues = copy.hasRegister ? [] : ["queues in which no thread is", "the items in queues"]
    let lacking = queues + events.lacking
    if !lacking.isEmpty { found.append("\(lacking.joined(separator: ", ")): only a process that answers tells") }
    found += events.unread
    if !pools.isDescribed { found.append("the pool: none was made") }
    if pools.lacksWorkers { found.append("the pool's workers, which this process cannot describe") }
    if pools.unread > 0 { found.append("\(pools.unread) pools, whose memory is not there") }
    if !samples.isThere {
      found.append(
        "for how long items run, and the oldest wait in queues: a process that is started with SIGNALBOX_INSPECT=1 notes that")
    }
    if unreadQueues > 0 { found.append("\(unreadQueues) queues or more, whose memory is not there") }
    if process.source == "core" {
      let broken = threads.filter(\.isBroken).count
      if broken > 0 { found.append("the waits or frames of \(broken) thread\(broken == 1 ? "" : "s"), which are damaged") }
      if brokenLists > 0 {
        found.append("the items of \(brokenLists) queue\(brokenLists == 1 ? "" : "s"), whose lists are damaged")
      }
    }
    if process.source == "memory" { found.append("the stacks of threads that do not wait for anything of Signalbox's") }
    if !others.isEmpty { found.append("another version of Signalbox, in \(others.joined(separator: ", "))") }
    if copy[.queueState] == 0 { found.append("the queues: none was made") }
    return found
  }

  private mutating func json(_ thread: RemoteThread) -> JSON {
    var members: [(name: String, value: JSON)] = [
      ("thread", .number(Double(thread.seen.id))), ("name", .string(thread.seen.name)),
      ("state", .string(Self.word(of: thread.seen.state))),
    ]
    if thread.isOwn { members.append(("own", .boolean(true))) }
    if thread.seen.id == process.id { members.append(("main", .boolean(true))) }
    if !thread.frames.isEmpty {
      let frames = thread.frames.map { frame in
        JSON.object([("queue", Self.address(frame.object)), ("as", .string(frame.kind.isDrain ? "item" : "sync"))])
      }
      members.append(("inside", .array(frames)))
    }
    if let item = thread.item {
      members.append(("runs", json(item, seconds: age(since: thread.itemSince))))
    }
    if let wait = thread.wait {
      members.append(("waits", json(wait)))
    } else if let mutex = thread.mutex {
      members.append(
        (
          "waits",
          .object([
            ("kind", .string(WaitKind.foreignMutex.noun)), ("object", Self.address(mutex.address)),
            ("limited", .boolean(false)),
            ("because", .string("held")), ("for", .array([.number(Double(mutex.owner))])),
          ])
        ))
    }
    if let call = thread.call { members.append(("call", .string(call.name ?? "system call \(call.number)"))) }
    if thread.isUnread { members.append(("unread", .boolean(true))) }
    // A return address lies behind its call; the innermost of a dump's is the place itself.
    let recorded = thread.wait?.stack.map { place(ReadNumber(UInt64($0)) - 1) } ?? []
    let walked = thread.seen.stack.enumerated().map { place($0.offset == 0 ? $0.element : $0.element - 1) }
    let stack = recorded.isEmpty ? walked : recorded
    if !stack.isEmpty { members.append(("stack", .array(stack))) }
    return .object(members)
  }

  private func json(_ wait: WaitView) -> JSON {
    var members: [(name: String, value: JSON)] = [("kind", .string(wait.kind.noun)), ("object", Self.address(wait.object))]
    if let name = NameReader(copy.reading).name(of: UInt64(wait.object)) { members.append(("name", .string(name))) }
    if let now { members.append(("seconds", .number((ReadNumber(now) - ReadNumber(wait.since)).double / 1e9))) }
    members.append(("limited", .boolean(wait.isTimed)))
    members.append(("because", .string(wait.end.word)))
    members.append(("for", .array(wait.end.threads.map { .number(Double($0)) })))
    return .object(members)
  }

  /// `seconds`: for how long it is known to run.
  private mutating func json(_ item: RunningItem, seconds: Double? = nil) -> JSON {
    var members: [(name: String, value: JSON)] = [
      ("kind", .string(item.kind)), ("function", .array(item.places.map { place(ReadNumber(UInt64($0))) })),
    ]
    if let seconds, seconds >= 1 { members.append(("seconds", .number(seconds))) }
    return .object(members)
  }

  private mutating func json(_ queue: RemoteQueue) -> JSON {
    var members: [(name: String, value: JSON)] = [
      ("queue", Self.address(queue.address)), ("label", .string(queue.label)), ("kind", .string(queue.kindWord)),
      ("class", .string(queue.given.name)),
    ]
    if let pending = queue.pending { members.append(("pending", .number(pending.double))) }
    if let done = queue.done { members.append(("done", .number(done.double))) }
    if let owner = queue.owner { members.append(("owner", .number(Double(owner)))) }
    if queue.running > 0 { members.append(("running", .number(queue.running.double))) }
    if queue.limit > 0 { members.append(("limit", .number(queue.limit.double))) }
    if queue.suspended > 0 { members.append(("suspended", .number(queue.suspended.double))) }
    if queue.isInactive { members.append(("inactive", .boolean(true))) }
    if queue.target != 0 { members.append(("target", Self.address(queue.target))) }
    if let urgency = queue.urgency {
      let urgent: [(name: String, value: JSON)] = [
        ("class", .string(urgency.given.name)), ("behind", .number(Double(urgency.behind))),
      ]
      members.append(("urgent", .object(urgent)))
    }
    if !queue.next.isEmpty { members.append(("next", .array(queue.next.map { json($0) }))) }
    members += waits(of: queue)
    return .object(members)
  }

  private func json(_ pool: PoolView) -> JSON {
    var workers = pool.workers.map { (thread: Int($0.thread), word: $0.word) }
    // A damaged dump may count any number.
    let beginning = min(pool.beginning ?? 0, 1_000)
    workers += (0..<beginning).map { _ in (thread: 0, word: WorkerStatus.beginning) }
    func count(_ field: Field) -> JSON { .number(Double(pool.state[field])) }
    return .object([
      ("name", .string(pool.name)), ("threads", count(PoolState.total)), ("running", count(PoolState.running)),
      ("idle", count(PoolState.idle)), ("limit", .number(Double(pool.limit))),
      (
        "workers",
        .array(workers.map { .object([("thread", .number(Double($0.thread))), ("state", .string($0.word))]) })
      ),
    ])
  }

  /// How long sampled items have waited, and the oldest that is pending still.
  private func waits(of queue: RemoteQueue) -> [(name: String, value: JSON)] {
    var members: [(name: String, value: JSON)] = []
    for (name, percent) in [("p50", 50), ("p95", 95)] as [(String, UInt64)] {
      guard let secondsPerTick, let ticks = WaitBucket.time(of: percent, in: queue.waits) else { continue }
      members.append((name, .number(Double(ticks) * secondsPerTick)))
    }
    if let pending = queue.pending, pending > 0, let done = queue.done,
      let oldest = age(since: histories[queue.figures]?.since(taken: done.bits)), oldest > 0
    {
      members.append(("oldest", .number(oldest)))
    }
    return members
  }

  /// How many seconds have gone by: up to now, or to the last sample of a process that has ended.
  private func age(since: UInt64?) -> Double? {
    since.map { (ReadNumber(now ?? samples.last) - ReadNumber($0)).double / 1e9 }
  }

  private static func address(_ address: ReadNumber) -> JSON { .string(address.hexadecimal) }
  private static func address(_ address: UInt) -> JSON { Self.address(ReadNumber(UInt64(address))) }

  /// As a process that answers writes it: the image by its number.
  private mutating func place(_ address: ReadNumber) -> JSON {
    guard let image = process.images.image(at: address) else { return Self.address(address) }
    let number = images.firstIndex(of: image.path) ?? images.count
    if number == images.count { images.append(image.path) }
    return .string("\(number)+\((address - image.base).hexadecimal)")
  }

  private static func word(of state: Character?) -> String {
    switch state {
    case "R": "runs"
    case "S": "sleeps"
    case "D": "sleeps in the kernel"
    case "T", "t": "is stopped"
    case "Z", "X": "has ended"
    case let state?: "\(state)"
    case nil: ""
    }
  }
}
