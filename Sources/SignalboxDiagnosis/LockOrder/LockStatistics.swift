// LockStatistics.swift: how often locks are taken and waited for, by name. Orders of locks are LockOrder.swift.
import SignalboxSystem
import SignalboxWords

/// Counts acquisitions of locks and waits for them, by name.
///
/// Locks without a name are counted together by their place of creation if it is known, otherwise by their kind.
///
/// Thread safety: every member may be used from any thread. Figures of locks in use may be slightly out of date.
///
/// ```swift
/// LockStatistics.start()
/// UnfairLock().withLock {}
/// print(LockStatistics.table())
/// LockStatistics.stop()
/// ```
public enum LockStatistics {
  /// The figures of all locks with the same name.
  ///
  /// ```swift
  /// for usage in LockStatistics.snapshot() where usage.contended > 0 {
  ///   print(usage.name, usage.acquisitions, usage.contended, usage.totalWait, usage.longestHolder?.threadName ?? "")
  /// }
  /// ```
  public struct Usage: Sendable, Equatable {
    /// The kind and name.
    public let name: String
    /// The number of acquisitions, including successful tries.
    public let acquisitions: UInt64
    /// The number of times that another thread held the lock when it was asked for.
    public let contended: UInt64
    /// The total time that threads waited, in nanoseconds.
    public let totalWait: UInt64
    /// The longest wait, in nanoseconds.
    public let longestWait: UInt64
    /// The holder of the lock when the longest wait began; nil if it is not known.
    public let longestHolder: Holder?
  }
  /// A thread that made another one wait.
  public struct Holder: Sendable, Equatable {
    /// The kernel's identifier of the thread.
    public let threadID: UInt64
    /// The thread's name at the end of the wait.
    public let threadName: String
  }

  /// Starts counting from zero. `SIGNALBOX_LOCK_STATISTICS=1` does this at the start of the program, and writes a table at its
  /// end.
  ///
  /// ```swift
  /// LockStatistics.start()
  /// ```
  public static func start() {
    _ = ThreadSlot.owner()  // the environment has been read; what is printed here comes after it
    LockWorld.lock.withLock { LockUsages.clearAssumingLocked() }
    Instruments.set(Instruments.lockStatistics, mask: Instruments.lockStatistics)
  }

  /// Stops counting; the figures are kept.
  ///
  /// ```swift
  /// LockStatistics.stop()
  /// print(LockStatistics.snapshot().count)  // what was counted stays
  /// ```
  public static func stop() { Instruments.set(0, mask: Instruments.lockStatistics) }

  /// The figures for every name, those with the longest total wait first.
  ///
  /// Locks without a name are listed by their place of creation. Finding the function's name takes as long as in a report.
  ///
  /// ```swift
  /// let slowest = LockStatistics.snapshot().max { $0.totalWait < $1.totalWait }
  /// print(slowest?.name ?? "no lock was counted")
  /// ```
  public static func snapshot() -> [Usage] {
    let groups = LockWorld.lock.withLock { LockUsages.allAssumingLocked() }
    let symbols = ReportSymbols(groups.flatMap { $0.text.name == nil ? $0.text.site : [] })
    return groups.map { Usage($0, symbols) }.sorted {
      ($0.totalWait, $0.acquisitions, $1.name) > ($1.totalWait, $1.acquisitions, $0.name)
    }
  }

  /// The figures for every name, in no order, as often as they are asked for: what a lock is called is found out once. Empty while nothing
  /// is counted.
  package static func figures() -> [Usage] {
    guard Instruments.byte & Instruments.lockStatistics != 0, !Instruments.isForkedChild else { return [] }
    let groups = LockWorld.lock.withLock { LockUsages.allAssumingLocked() }
    let new = groups.filter { $0.shown == nil }
    guard !new.isEmpty else { return groups.map { Usage($0, name: $0.shown!) } }
    let symbols = ReportSymbols(new.flatMap { $0.text.name == nil ? $0.text.site : [] })
    return groups.map { group in
      let name = group.shown ?? Usage.name(group, symbols)
      if group.shown == nil { LockWorld.lock.withLock { LockUsages.showAssumingLocked(group.cell, as: name) } }
      return Usage(group, name: name)
    }
  }

  /// The figures as a table of text.
  ///
  /// ```swift
  /// print(LockStatistics.table(LockStatistics.snapshot().filter { $0.contended > 0 }))
  /// ```
  public static func table(_ usages: [Usage] = snapshot()) -> String {
    var text = "acquisitions    contended   waited ms  longest ms  lock\n"
    for usage in usages {
      text += column("\(usage.acquisitions)") + " " + column("\(usage.contended)") + column(milliseconds(usage.totalWait))
      text += column(milliseconds(usage.longestWait)) + "  \(usage.name)"
      if let holder = usage.longestHolder { text += ", longest behind thread \(holder.threadID) \"\(holder.threadName)\"" }
      text += "\n"
    }
    return text
  }

  private static func column(_ text: String) -> String { String(repeating: " ", count: max(0, 12 - text.utf8.count)) + text }
  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    let thousandths = String(nanoseconds / 1_000 % 1_000)
    return "\(nanoseconds / 1_000_000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
  }
}

extension LockStatistics.Usage {
  // relaxed, all: statistics.
  fileprivate init(_ group: LockUsages.Group, _ symbols: ReportSymbols) { self.init(group, name: Self.name(group, symbols)) }

  fileprivate static func name(_ group: LockUsages.Group, _ symbols: ReportSymbols) -> String {
    let isAlone = group.text.name == nil && group.text.site.isEmpty
    let type = group.text.type.map { " of \($0)" } ?? " without a name"
    return isAlone ? group.text.kind.classNoun + type : group.text.text(symbols)
  }

  fileprivate init(_ group: LockUsages.Group, name: String) {
    self.name = name
    // relaxed, all four: statistics, each a number of its own
    acquisitions = group.cell.pointee.acquisitions.loadRelaxed()
    contended = group.cell.pointee.contended.loadRelaxed()
    totalWait = group.cell.pointee.totalWait.loadRelaxed()
    longestWait = group.cell.pointee.longestWait.loadRelaxed()  // relaxed: statistics
    longestHolder = group.holder
  }
}

/// Where the counters are.
enum LockUsages {
  struct Group {
    let cell: LockUsagePointer
    let text: LockClassText
    var holder: LockStatistics.Holder?
    /// What it is called in figures; nil: not found out yet.
    var shown: String?
  }
  private struct Key: Hashable {
    let kind: WaitKind
    let name: String?
    let level: Int?
    let site: [UInt]
    let type: String?
  }
  // SAFETY: guarded by `LockWorld.lock`; the cells' words are atomic.
  nonisolated(unsafe) private static var groups: [Key: Group] = [:]
  nonisolated(unsafe) private static var keys: [LockUsagePointer: Key] = [:]

  private static let tableAtExit: Void = {
    guard Environment.value("SIGNALBOX_LOCK_STATISTICS") == "1" else { return }
    Threads.onProcessExit { StandardError.write(LockStatistics.table()) }
  }()

  static func cellAssumingLocked(_ text: LockClassText) -> LockUsagePointer {
    let key = Key(kind: text.kind, name: text.name, level: text.level, site: text.site, type: text.type)
    if let known = groups[key] { return known.cell }
    _ = tableAtExit
    let cell = LockUsagePointer.allocate(capacity: 1)
    cell.initialize(to: LockUsageCell())
    groups[key] = Group(cell: cell, text: text)
    keys[cell] = key
    return cell
  }

  /// A wait is over. relaxed: statistics.
  static func add(_ wait: UInt64, behind holder: UInt64, to cell: LockUsagePointer) {
    _ = cell.pointee.contended.addRelaxed(1)
    _ = cell.pointee.totalWait.addRelaxed(wait)
    if wait <= cell.pointee.longestWait.loadRelaxed() { return }
    let known = HeldStackPool.stack(of: holder)?[.tid]
    let named = known.map { LockStatistics.Holder(threadID: $0, threadName: KernelThread.name($0) ?? "") }
    LockWorld.lock.withLock {
      // relaxed, both: changed under the lock alone
      guard wait > cell.pointee.longestWait.loadRelaxed(), let key = keys[cell] else { return }
      cell.pointee.longestWait.storeRelaxed(wait)
      groups[key]?.holder = named
    }
  }

  static func allAssumingLocked() -> [Group] {
    // relaxed: a count, and nothing is read through it
    groups.values.filter { $0.cell.pointee.acquisitions.loadRelaxed() > 0 }
  }

  static func showAssumingLocked(_ cell: LockUsagePointer, as name: String) {
    if let key = keys[cell] { groups[key]?.shown = name }
  }

  static func clearAssumingLocked() {
    groups = groups.mapValues { group in
      var group = group
      group.holder = nil
      group.cell.pointee.clear()
      return group
    }
  }
}
