// Processors.swift: how many processors this process may keep busy: affinity and the cgroup's share, whichever is less.
import CSignalbox
import Glibc

/// The processors the process may use.
public enum Processors {
  /// At least 1. Read anew at each call: affinity and limits may change. Costs a few file reads.
  public static func available() -> Int {
    let allowed = max(1, Int(sb_affinity_count()))
    // The explorer's answer counts alone: it is the same in each run and on each machine.
    if Instruments.byte & Instruments.explorer != 0 { return allowed }
    guard let share = cgroupShare() else { return allowed }
    return max(1, min(allowed, share))
  }

  /// Processors' worth of time the cgroup grants, rounded up; nil when it sets no limit.
  static func cgroupShare() -> Int? {
    if let line = firstLine(of: "/sys/fs/cgroup" + cgroupPath() + "/cpu.max") ?? firstLine(of: "/sys/fs/cgroup/cpu.max") {
      return share(cpuMax: line)
    }
    guard let quota = firstLine(of: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us").flatMap({ Int($0) }), quota > 0,
      let period = firstLine(of: "/sys/fs/cgroup/cpu/cpu.cfs_period_us").flatMap({ Int($0) }), period > 0
    else { return nil }
    return (quota + period - 1) / period
  }

  /// Reads a `cpu.max` line: "quota period" or "max period".
  static func share(cpuMax line: String) -> Int? {
    let parts = line.split(separator: " ")
    guard parts.count == 2, let quota = Int(parts[0]), let period = Int(parts[1]), quota > 0, period > 0 else { return nil }
    return (quota + period - 1) / period
  }

  private static func cgroupPath() -> String {
    guard let line = firstLine(of: "/proc/self/cgroup"), line.hasPrefix("0::") else { return "" }
    let path = String(line.dropFirst(3))
    return path == "/" ? "" : path
  }

  private static func firstLine(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = sb_read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<Int(count)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
