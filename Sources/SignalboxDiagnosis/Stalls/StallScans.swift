// StallScans.swift: one scan after the other: what is reported of each, and what waits until it has stood for a time. When scans are
// taken is StallDetector.swift, and CycleScans.swift; what they find StallFinding.swift.
import SignalboxSystem
import SignalboxWaits

/// What is known from one scan to the next; one thread at a time has it.
struct StallScans: Sendable {
  /// What a scan is for: everything, or only cycles that no thread finds when it begins to wait.
  enum Purpose { case everything, cycles }

  var taker = SnapshotTaker(patience: 0)
  private var told: Set<Identity> = []
  private var stillness = Stillness()
  /// Cycles through the C library's mutexes that were seen.
  private var suspicions = Suspicions()
  /// Findings that the program could still undo, each as it stood.
  private var standing: [Purpose: [Set<Stamped>: Stand]] = [:]

  /// Scans twice, and reports what is new.
  mutating func scan(patience: UInt64, for purpose: Purpose = .everything) -> [StallReport] {
    guard Deadlock.policy != .ignore else { return [] }
    taker.patience = patience
    if purpose == .everything, patience > 0 { scanForForeignCycles() }
    guard taker.isDue(Clock.uptime()) else { return purpose == .everything ? scanForStillness(patience) : [] }
    let earlier = taker.take()
    let snapshot = taker.take().standing(since: earlier)
    let new = snapshot.findings().filter { isWanted($0, snapshot, purpose) && isNew($0, snapshot) }
    let made = due(new, snapshot, purpose).map { finding, seconds in
      (finding: finding, report: StallReport(finding, in: snapshot, seconds: seconds ?? Double(patience) / 1e9))
    }
    guard Layers.endScan() else { return [] }
    var reports: [StallReport] = []
    // Else a node has moved while it was written.
    for (finding, report) in made where finding.stands(in: snapshot) {
      note(finding, snapshot)
      let told = stamped(finding, snapshot)
      standing[purpose]?[told] = nil
      StallDetector.tell(report)
      reports.append(report)
    }
    return reports
  }

  /// No wait of Signalbox's has lasted: perhaps nothing at all is left. Not for single scans, which have seen no period
  /// pass.
  private mutating func scanForStillness(_ patience: UInt64) -> [StallReport] {
    guard patience > 0 else { return [] }
    let found = stillness.scan(&taker)
    guard Layers.endScan(), let snapshot = found else { return [] }
    let report = StallReport(still: snapshot, seconds: Double(patience) / 1e9)
    stillness.wasTold()
    StallDetector.tell(report)
    return [report]
  }

  /// Threads that wait for each other in mutexes of the C library, one for itself among them, though no thread is in a
  /// wait of Signalbox's: the monitor searches only from waits of Signalbox's and from items.
  private mutating func scanForForeignCycles() {
    let now = Clock.uptime()
    let cycles = suspicions.confirm(MixedWalk.cycles(from: taker.sleepersElsewhere), now: now)
    for cycle in cycles { OwnThreads.calling { Deadlock.tell(cycle) } }
  }

  private func isWanted(_ finding: StallFinding, _ snapshot: WaitSnapshot, _ purpose: Purpose) -> Bool {
    purpose == .everything || finding.cause == .cycle && !snapshot.isFoundByWalks(finding)
  }

  // MARK: what could be undone

  /// A node as it stood.
  private struct Stamped: Hashable {
    var key: WaitNode.Key
    var stamp: UInt64
  }

  /// What is known of one: when it was seen first, and how many scans have seen it.
  private struct Stand {
    var since: UInt64
    var scans = 0
  }
  /// The number of scans that must have found the same. A stamp counts changes modulo some number, and may be that of another time by
  /// chance.
  private static let enoughScans = 4

  /// What is to be reported now; of what could be undone only what enough scans have found just so, the first of them long ago, and
  /// for how many seconds it has stood. What one scan does not find was undone.
  private mutating func due(
    _ findings: [StallFinding], _ snapshot: WaitSnapshot, _ purpose: Purpose
  ) -> [(StallFinding, seconds: Double?)] {
    let now = Clock.uptime(), before = standing[purpose] ?? [:]
    var after: [Set<Stamped>: Stand] = [:]
    var due: [(StallFinding, seconds: Double?)] = []
    for finding in findings {
      guard finding.isChangeable else {
        due.append((finding, nil))
        continue
      }
      guard let delay = Deadlock.suspicionDelay else { continue }
      let stamped = stamped(finding, snapshot)
      var stand = before[stamped] ?? Stand(since: now)
      stand.scans += 1
      after[stamped] = stand
      let age = now - stand.since
      if delay == 0 || age >= delay && stand.scans >= Self.enoughScans { due.append((finding, Double(age) / 1e9)) }
    }
    standing[purpose] = after
    return due
  }

  private func stamped(_ finding: StallFinding, _ snapshot: WaitSnapshot) -> Set<Stamped> {
    Set(finding.nodes.compactMap { snapshot.nodes[$0] }.map { Stamped(key: $0.key, stamp: $0.stamp) })
  }

  /// When a cycle that was seen and not reported is to be scanned again; nil if there is none.
  var nextCycle: UInt64? {
    guard let delay = Deadlock.suspicionDelay, standing[.cycles]?.isEmpty == false else { return nil }
    return Clock.uptime() &+ max(delay / UInt64(Self.enoughScans), 10_000_000)
  }

  // MARK: what was reported

  /// One wait of a finding.
  private struct Identity: Hashable {
    var cause: StallReport.Cause
    var isCertain: Bool
    var key: WaitNode.Key
    var stamp: UInt64
  }
  private func identities(_ finding: StallFinding, _ snapshot: WaitSnapshot) -> Set<Identity> {
    Set(
      finding.nodes.compactMap { snapshot.nodes[$0] }.map {
        // A sleeper stirs now and then for no reason; it is the waiters that tell one time from another.
        Identity(
          cause: finding.cause, isCertain: finding.certainty == .certain, key: $0.key,
          // A thread that waits again and again for what sources bring is reported once.
          stamp: $0.wait == nil || finding.distrustsEvents ? 0 : $0.stamp)
      })
  }
  private func isNew(_ finding: StallFinding, _ snapshot: WaitSnapshot) -> Bool {
    !identities(finding, snapshot).isSubset(of: told)
  }
  private mutating func note(_ finding: StallFinding, _ snapshot: WaitSnapshot) {
    // Where a program lets a thousand of them stand, they may be reported twice.
    if told.count > 10_000 { told = [] }
    told.formUnion(identities(finding, snapshot))
  }
}

extension StallFinding {
  /// Whether the waits of the finding are still those that were scanned.
  fileprivate func stands(in snapshot: WaitSnapshot) -> Bool {
    (nodes + others).allSatisfy { key in
      guard let node = snapshot.nodes[key], let wait = node.wait else { return true }
      let record = Record(of: wait.owner)
      return record[.owner] == wait.owner && record.stableSequence == node.stamp
    }
  }
}
