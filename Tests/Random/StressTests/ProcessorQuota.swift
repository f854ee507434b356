// ProcessorQuota.swift: a control group for the process alone, whose share of processor time changes while the process runs.
import Glibc

/// A control group that holds this process; gone again when the value is.
struct ProcessorQuota: ~Copyable {
  /// Where the process was before.
  private let parent: String
  private let group: String
  private let isSecondVersion: Bool
  private static let period = 20_000  // microseconds

  /// Makes the group and moves the process there; nil where this user may not, or no control group limits processors.
  init?() {
    for (parent, isSecondVersion) in [("/sys/fs/cgroup/cpu", false), ("/sys/fs/cgroup", true)] {
      let group = "\(parent)/signalbox-\(getpid())"
      guard mkdir(group, 0o755) == 0 else { continue }
      if access("\(group)/\(Self.file(isSecondVersion))", W_OK) == 0, Self.write("\(getpid())", to: "\(group)/cgroup.procs") {
        (self.parent, self.group, self.isSecondVersion) = (parent, group, isSecondVersion)
        return
      }
      rmdir(group)
    }
    return nil
  }

  deinit {
    _ = Self.write("\(getpid())", to: "\(parent)/cgroup.procs")
    rmdir(group)
  }

  /// Lets all threads together use `percent` of one processor; nil: as much as there is. Returns whether the kernel took it.
  func set(percent: Int?) -> Bool {
    let quota = percent.map { $0 * Self.period / 100 }
    if isSecondVersion { return Self.write("\(quota.map(String.init) ?? "max") \(Self.period)", to: "\(group)/cpu.max") }
    return Self.write("\(Self.period)", to: "\(group)/cpu.cfs_period_us")
      && Self.write("\(quota ?? -1)", to: "\(group)/cpu.cfs_quota_us")
  }

  private static func file(_ isSecondVersion: Bool) -> String { isSecondVersion ? "cpu.max" : "cpu.cfs_quota_us" }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return text.utf8.withContiguousStorageIfAvailable { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count } ?? false
  }
}
