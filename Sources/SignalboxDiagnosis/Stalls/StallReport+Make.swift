// StallReport+Make.swift: from a finding to its report: names, stacks, what is lacking, and the hint.
import SignalboxSystem
import SignalboxWaits

extension StallReport {
  /// The most threads that a report lists.
  static let limit = 24

  /// The report of a finding: where it is certain its threads stand still; else they may go on while it is made.
  init(_ finding: StallFinding, in snapshot: WaitSnapshot, seconds: Double) {
    let now = Clock.uptime()
    let waits = (finding.nodes + finding.others).compactMap { key in
      snapshot.nodes[key]?.wait.map { (key: key, wait: $0) }
    }
    let titles = ReportTitles(snapshot: snapshot), look = Look(finding.certainty)
    certainty = finding.certainty
    cause = finding.cause
    participants = waits.prefix(Self.limit).map { .init($0.wait, thread: $0.key.number, now: now, look) }
    omitted = max(0, waits.count - Self.limit)
    holders = Holder.behind(waits.map(\.key.number))
    objects = Self.objects(waits.map(\.wait), Reduction.stuck(snapshot, finding.trust), look)
    if finding.cause == .allWait { objects += Self.stoppedQueues(beside: objects) }
    mayStillEnd = finding.asleep.flatMap { titles.sleepers($0) }
    if finding.isChangeable { mayStillEnd += Layers.all { layer in layer.whoChanges.map { [$0] } ?? [] } }
    summary = titles.summary(finding, waits: waits.count, seconds: seconds)
    hint = Self.hint(finding.cause, waits.map(\.wait), hasStopped: objects.contains { !$0.items.isEmpty })
  }

  /// Queues that were stopped while the stall detector is on, with what lies in them: first those that have members of groups waited for.
  private static func stoppedQueues(beside objects: [Object]) -> [Object] {
    let groups = Set(objects.filter { $0.object.kind == .group }.map(\.object.address))
    let known = Set(objects.map(\.object.address))
    var found: [(object: Object, members: Int)] = []
    StopNotes.forEach { address, place in
      guard !known.contains(address), let queue = Layers.first({ $0.stopped(address, groups: groups) }) else { return }
      let items = queue.items.map { DeadlockReport.Item($0) }
      let object = Object(
        object: .init(kind: .sync, address: address, name: queue.title), lacks: queue.lacks, enters: [], stopped: place,
        items: items)
      found.append((object, queue.members.values.reduce(0, +)))
    }
    let sorted = found.sorted { ($0.members, $1.object.object.name) > ($1.members, $0.object.object.name) }
    return sorted.prefix(mostStopped).map(\.object)
  }
  private static let mostStopped = 8

  /// What is waited for, each once.
  private static func objects(_ waits: [WaitNode.Wait], _ stuck: Set<WaitNode.Key>, _ look: Look) -> [Object] {
    var seen: Set<UInt> = []
    return waits.filter { seen.insert($0.object).inserted }.map { wait in
      let look = look.at(wait.object)
      let enters = wait.kind == .group ? EnterNotes.note(of: wait.object)?.sites ?? [] : []
      return Object(
        object: .init(
          kind: wait.kind, address: wait.object, name: ObjectNaming.name(wait.kind, wait.object, look),
          description: ObjectNaming.description(wait.kind, wait.object, nil, look)),
        lacks: wait.lacks(stuck, look), enters: enters.map { Enter(count: $0.count, stack: $0.stack) },
        stopped: wait.stop.queue.map(StopNotes.place) ?? [])
    }
  }

  private static func hint(_ cause: Cause, _ waits: [WaitNode.Wait], hasStopped: Bool) -> String {
    switch cause {
    case .pool: return "let items not wait for other items: use notify(), or raise SIGNALBOX_MAX_THREADS"
    case .mainQueue:
      return "do not wait on the main thread: use notify(), or let it drain the main queue (dispatchMain(), a run loop)"
    case .still: return ""  // made elsewhere
    case .cycle: return "take one of the dependencies away, and let nothing wait for what needs its own place or thread"
    case .allWait: break
    }
    if hasStopped || waits.contains(where: { $0.stop != .none }) {
      return "resume() or activate() the queue before a thread waits for it"
    }
    if waits.contains(where: { $0.kind == .group }) { return "balance every enter() with a leave(), on every path" }
    if waits.contains(where: { $0.kind == .operation || $0.kind == .operationQueue }) {
      return "make sure that every operation that is waited for is in a queue that runs, and says when it has finished"
    }
    if waits.contains(where: { $0.kind == .semaphore }) {
      return "make sure that every wait() has a signal() that does not itself depend on that wait"
    }
    return "make sure that each wait is ended by a thread that does not wait itself"
  }
}

/// Nodes in words.
struct ReportTitles {
  let snapshot: WaitSnapshot

  func summary(_ finding: StallFinding, waits: Int, seconds: Double) -> String {
    let text = sentence(finding, waits: waits)
    if finding.certainty == .certain { return "deadlock: \(text), forever" }
    if finding.isChangeable { return "suspected deadlock: for \(ReportTimes.decimals(seconds)) s now \(text)" }
    if finding.distrustsEvents { return "suspected deadlock: events came, but none has helped: \(text)" }
    return "suspected deadlock: nothing has moved for \(ReportTimes.decimals(seconds)) s: \(text)"
  }

  private func sentence(_ finding: StallFinding, waits: Int) -> String {
    switch finding.cause {
    case .pool:
      let count = finding.nodes.count
      return
        "work is queued, and \(count == 1 ? "the only worker thread waits" : "all \(count) worker threads wait") for others"
    case .mainQueue: return "items lie in the main queue, and \(main(finding.nodes[0]))"
    case .still: return "nothing can happen any more"
    case .cycle:
      let names = finding.nodes + [finding.nodes[0]]
      return names.map(title).joined(separator: " waits for ")
    case .allWait: return "nothing is left that could end \(waits == 1 ? "this wait" : "these \(waits) waits")"
    }
  }

  private func main(_ key: WaitNode.Key) -> String {
    switch snapshot.nodes[key]?.state {
    case .needs(.any([])): "the main thread has ended"
    case .asleep: "the main thread is elsewhere: \(asleep(key))"
    default: "the main thread waits"
    }
  }

  /// Which of them might still come.
  func sleepers(_ key: WaitNode.Key) -> [String] {
    switch key {
    case .events: Layers.all { $0.armed() }
    case .handlers: [handlers]
    default: [asleep(key)]
    }
  }

  private var handlers: String {
    let stamp = snapshot.nodes[.handlers]?.stamp ?? 0
    let names = (1...64).filter { stamp >> UInt64($0 - 1) & 1 == 1 }.map { HandledSignals.name(Int32($0)) }
    return "\(names.count == 1 ? "a signal" : "signals") that the program handles: \(names.joined(separator: ", "))"
  }

  /// A thread whose sleep Signalbox cannot see into.
  func asleep(_ key: WaitNode.Key) -> String {
    let number = key.number
    let call = KernelCall(of: number).map { "asleep in \($0.title)" } ?? "asleep"
    return "\(title(key)), \(call)"
  }

  private func title(_ key: WaitNode.Key) -> String {
    switch key {
    case .thread(let number): return "thread \"\(KernelThread.name(number) ?? "?")\" (\(number))"
    case .pool: return "the pool"
    case .mainQueue: return "the main queue"
    case .events: return "timers and descriptors"
    case .handlers: return handlers
    case .object(let address):
      return Layers.first { $0.title(of: address) } ?? "0x\(String(address, radix: 16))"
    }
  }
}

extension WaitNode.Key {
  /// The kernel's number of a thread; 0 for what is none.
  var number: Int32 { if case .thread(let number) = self { number } else { 0 } }
}

extension WaitNode.Wait {
  /// What no thread is left to do.
  fileprivate func lacks(_ stuck: Set<WaitNode.Key>, _ look: Look) -> String {
    switch stop {
    case .suspended(let queue): return "suspended, and nothing is left to resume \(queueName(queue, look))"
    case .inactive(let queue): return "never activated, and nothing is left to activate \(queueName(queue, look))"
    case .none: break
    }
    if let reason = Layers.first({ $0.reason(at: object) { stuck.contains(.object($0)) } }) { return reason }
    switch kind {
    case .semaphore: return "nothing is left to signal it"
    case .group: return "nothing is left to leave it"
    case .nsConditionLock:
      return number.map { "nothing is left to unlock it with condition \($0)" } ?? "nothing is left to signal it"
    case .condition, .nsCondition: return "nothing is left to signal it"
    case .workItem: return "nothing is left to run it"
    case _ where kind.isTurn: return "nothing is left to run its items"
    default: return "nothing is left to give it back"
    }
  }

  private func queueName(_ queue: UInt, _ look: Look) -> String {
    queue == object ? "it" : ObjectNaming.name(.sync, queue, look)
  }
}

extension StoppedQueue {
  /// What no thread is left to do, and which items and groups wait for that.
  fileprivate var lacks: String {
    let what = isInactive ? "never activated" : "suspended", act = isInactive ? "activate" : "resume"
    let items = count == 1 ? "with an item in it" : "with \(count) items in it"
    let groups = members.sorted { $0.key < $1.key }.map { group, members in
      "\(members == count ? members == 1 ? "which is" : "all" : "\(members)") of group 0x\(String(group, radix: 16))"
    }
    let text = groups.isEmpty ? items : "\(items) (\(groups.joined(separator: ", ")))"
    return "\(what) \(text), and nothing is left to \(act) it"
  }
}

extension DeadlockReport.Participant {
  fileprivate init(_ wait: WaitNode.Wait, thread: Int32, now: UInt64, _ look: Look) {
    let record = Record(of: wait.owner)
    self.init(
      threadID: UInt64(thread), threadName: KernelThread.name(thread) ?? "?",
      wants: record.object(wait.kind, at: wait.object, look.at(wait.object)), detail: nil,
      seconds: Double(now &- min(now, record[.since])) / 1e9, frames: record.frameNames(look),
      item: .init(ofOwner: wait.owner, look), task: .init(on: ThreadTable.entry(owner: wait.owner)),
      queue: record.queueLabel(look), stack: record.stackAddresses, acquired: nil)
  }
}
