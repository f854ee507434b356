// FakeRoot.swift: a folder that stands for the root of all files, with what the kernel would tell there of control groups.
import Glibc

// SAFETY of @unchecked: for one thread at a time.
/// Files of control groups, written by a test. The folder goes with the object. Thread safety: for one thread at a time.
public final class FakeRoot: @unchecked Sendable {
  /// Where it is.
  public let path: String
  /// What was made in it, in that order.
  private var made: [String] = []

  /// An empty one.
  public init() {
    var template = Array("/tmp/signalbox-root-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no folder for a test: error \(errno)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Both versions of control groups are mounted where distributions have them; the process's group is `group` in each.
  public convenience init(group: String) {
    self.init()
    write("/proc/self/cgroup", "4:memory:/elsewhere\n1:cpu,cpuacct:\(group)\n0::\(group)\n")
    write(
      "/proc/self/mountinfo",
      """
      20 1 0:5 / /proc rw - proc proc rw
      30 1 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:4 - cgroup2 cgroup rw
      31 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
      32 1 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct

      """)
  }

  /// Sets the limit of version 2, as its file has it.
  public func setMax(_ group: String, _ text: String) { write("/sys/fs/cgroup/unified\(group)/cpu.max", text) }
  /// Sets the limit of version 1, as its files have it.
  public func setQuota(_ group: String, _ quota: String, period: String) {
    write("/sys/fs/cgroup/cpu\(group)/cpu.cfs_quota_us", quota)
    write("/sys/fs/cgroup/cpu\(group)/cpu.cfs_period_us", period)
  }

  /// Gives a file these contents in one step, and makes the folders around it.
  public func write(_ name: String, _ text: String) {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/" + part
      if mkdir(folder, 0o755) == 0 { made.append(folder) }
    }
    if !made.contains(path + name) { made.append(path + name) }
    let bytes = Array(text.utf8), fresh = path + "/fresh"
    let file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    let written = Glibc.write(file, bytes, bytes.count)
    close(file)
    precondition(written == bytes.count && rename(fresh, path + name) == 0, "\(name) cannot be written: error \(errno)")
  }

  deinit { for place in made.reversed() + [path] { remove(place) } }
}
