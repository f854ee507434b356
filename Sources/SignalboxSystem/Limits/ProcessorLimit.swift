// ProcessorLimit.swift: how much of the processors' time the control groups of this process let it have. How many processors it may keep
// busy follows from that and from its affinity: Processors.swift.
//
//   version 2   cpu.max             "quota period", or "max period"
//   version 1   cpu.cfs_quota_us    the quota, -1 for none        cpu.cfs_period_us   the period
// The kernel lets a group's threads compute for the quota in each period, and those of the groups in it together for no more: so the least on
// the path from the process's group up to the root counts. A file that is missing, or holds anything else, sets no limit.

/// A limit of the processors' time.
public struct ProcessorLimit: Sendable, Equatable, Comparable {
  /// In thousandths of a processor, rounded up; at least 1.
  public let thousandths: Int

  /// `quota` of each `period`, in the same unit; nil where that says nothing.
  init?(quota: Int, period: Int) {
    guard quota > 0, period > 0 else { return nil }
    let (product, overflow) = quota.multipliedReportingOverflow(by: 1_000)
    if overflow { return nil }
    thousandths = product / period + (product % period == 0 ? 0 : 1)
  }

  /// Whole processors, rounded up: what is left over is worth a thread that computes for a part of the time.
  public var processors: Int { thousandths / 1_000 + (thousandths % 1_000 == 0 ? 0 : 1) }

  /// The more of the two lets the process have more.
  public static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }

  // MARK: texts

  /// What `cpu.max` says; nil: no limit.
  init?(max text: String) {
    let words = Self.firstLine(text).split(separator: " ")
    guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]) else { return nil }
    self.init(quota: quota, period: period)
  }

  /// What `cpu.cfs_quota_us` and `cpu.cfs_period_us` say; nil: no limit.
  init?(quota: String, period: String) {
    guard let quota = Int(Self.firstLine(quota)), let period = Int(Self.firstLine(period)) else { return nil }
    self.init(quota: quota, period: period)
  }

  private static func firstLine(_ text: String) -> Substring { text.prefix { $0 != "\n" } }
}

/// The files that tell the limit: this machine's, or those of a folder that stands for its root.
///
/// Where the groups are mounted is read anew only when the process's group has changed. For one thread at a time.
public struct ProcessorFiles: Sendable {
  private let root: String
  /// What `/proc/self/cgroup` said when the folders were searched for.
  private var groups: String?
  private var second: [String] = []
  private var first: [String] = []

  /// `root`: the folder in place of the root of all files; empty: none.
  public init(root: String = "") { self.root = root }

  /// The least limit on the ways from the process's groups to the roots; nil if there is none.
  public mutating func limit() -> ProcessorLimit? {
    findFolders()
    var limits = second.compactMap { folder in text(folder + "/cpu.max").flatMap { ProcessorLimit(max: $0) } }
    for folder in first {
      guard let quota = text(folder + "/cpu.cfs_quota_us"), let period = text(folder + "/cpu.cfs_period_us") else { continue }
      if let limit = ProcessorLimit(quota: quota, period: period) { limits.append(limit) }
    }
    return limits.min()
  }

  private mutating func findFolders() {
    let now = text("/proc/self/cgroup") ?? ""
    if now == groups { return }
    groups = now
    let mounts = text("/proc/self/mountinfo") ?? ""
    func folders(_ hierarchy: ControlGroup.Hierarchy) -> [String] {
      ControlGroup.place(hierarchy, groups: now, mounts: mounts, elsewhere: .root)?.folders ?? []
    }
    (second, first) = (folders(.second), folders(.first("cpu")))
  }

  private func text(_ path: String) -> String? { Files.text(RawString(root + path)) }
}
