// ProcessorLimitTests.swift: what files of control groups say of the processors, and which files of which group are read.
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Limits of the processors' time") struct ProcessorLimitTests {
  @Test(
    "cpu.max is a quota and a period; anything else is no limit",
    arguments: [
      ("200000 100000", 2_000), ("150000 100000\n", 1_500), ("10000 100000", 100), ("1000 100000", 10), ("1 1000000", 1),
      ("6400000 100000", 64_000), ("33333 100000", 334), ("max 100000\n", nil), ("max", nil), ("", nil), ("\n", nil),
      ("100000", nil), ("0 100000", nil), ("-1 100000", nil), ("100000 0", nil), ("100000 -5", nil), ("1 2 3", nil),
      ("two three", nil), ("0x10 100", nil), ("1.5 1", nil), ("99999999999999999999 100000", nil),
      ("9223372036854775807 100000", nil), ("\u{0}\u{1}\u{ff}", nil), ("150000 100000\ngarbage", 1_500),
    ] as [(String, Int?)])
  func second(text: String, thousandths: Int?) { #expect(ProcessorLimit(max: text)?.thousandths == thousandths) }

  @Test(
    "cpu.cfs_quota_us and cpu.cfs_period_us are a number each; anything else is no limit",
    arguments: [
      ("10000\n", "100000\n", 100), ("150000", "100000", 1_500), ("-1\n", "100000\n", nil), ("0", "100000", nil),
      ("max", "100000", nil), ("", "100000", nil), ("10000", "", nil), ("10000", "0", nil), ("10000 1", "100000", nil),
    ] as [(String, String, Int?)])
  func first(quota: String, period: String, thousandths: Int?) {
    #expect(ProcessorLimit(quota: quota, period: period)?.thousandths == thousandths)
  }

  @Test(
    "A part of a processor is worth a thread",
    arguments: [(1, 1), (100, 1), (999, 1), (1_000, 1), (1_001, 2), (1_500, 2), (2_000, 2), (64_000, 64)])
  func rounded(thousandths: Int, processors: Int) {
    #expect(ProcessorLimit(quota: thousandths, period: 1_000)?.processors == processors)
  }

  private func limit(_ root: FakeRoot) -> Int? {
    var files = ProcessorFiles(root: root.path)
    return files.limit()?.thousandths
  }

  @Test("The least limit on the way to the root counts, whichever group has it")
  func least() {
    let root = FakeRoot(group: "/slice/service/inner")
    #expect(limit(root) == nil)
    root.setMax("/slice/service/inner", "max 100000\n")
    #expect(limit(root) == nil)
    root.setMax("/slice", "300000 100000\n")
    #expect(limit(root) == 3_000)
    root.setMax("/slice/service", "150000 100000\n")
    #expect(limit(root) == 1_500)
    root.setMax("/slice/service/inner", "200000 100000\n")
    #expect(limit(root) == 1_500, "an inner group has no more than those around it")
    root.setMax("", "50000 100000\n")
    #expect(limit(root) == 500, "the visible root is a group of the container's")
    root.setMax("/slice/service", "broken")
    root.setMax("", "broken")
    #expect(limit(root) == 2_000, "what is not understood limits nothing, and hides no other")
    root.setMax("/slice/other", "1000 100000\n")
    #expect(limit(root) == 2_000)
  }

  @Test("Both versions count, and each is searched for in its own hierarchy")
  func bothVersions() {
    let root = FakeRoot(group: "/a/b")
    root.setQuota("/a/b", "-1\n", period: "100000\n")
    #expect(limit(root) == nil)
    root.setQuota("/a", "250000\n", period: "100000\n")
    #expect(limit(root) == 2_500)
    root.setMax("/a/b", "400000 100000\n")
    #expect(limit(root) == 2_500)
    root.setMax("/a/b", "100000 100000\n")
    #expect(limit(root) == 1_000)
    root.write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "?")
    root.setMax("/a/b", "max 100000\n")
    #expect(limit(root) == nil)
  }

  @Test("Without control groups, or with files that cannot be read, there is no limit")
  func missing() {
    #expect(limit(FakeRoot()) == nil)
    let root = FakeRoot()
    root.write("/proc/self/cgroup", "0::/a\n")
    #expect(limit(root) == nil, "nothing is mounted")
    root.write("/proc/self/mountinfo", "garbage\n- - -\n30 1 0:26 / /sys rw -\n30 1 0:26 / /sys rw - cgroup2\n")
    #expect(limit(root) == nil)
    root.write("/proc/self/cgroup", "garbage\n0:\n::\n0::a\n")
    #expect(limit(root) == nil)
  }

  @Test("Where a container sees a part of the hierarchy, or another one, the visible root counts")
  func containers() {
    let root = FakeRoot()
    root.write("/proc/self/cgroup", "2:cpu:/docker/1/inner\n0::/../other\n")
    root.write(
      "/proc/self/mountinfo",
      "30 1 0:26 /docker/1 /cpu rw - cgroup cgroup rw,cpu\n31 1 0:27 /docker/1 /two rw shared:1 - cgroup2 cgroup rw\n")
    root.write("/cpu/inner/cpu.cfs_quota_us", "70000")
    root.write("/cpu/inner/cpu.cfs_period_us", "100000")
    #expect(limit(root) == 700)
    root.write("/two/cpu.max", "30000 100000")
    #expect(limit(root) == 300)
  }

  @Test("A process that is moved to another group has that one's limit from the next reading on")
  func moved() {
    let root = FakeRoot(group: "/a")
    root.setMax("/a", "200000 100000\n")
    root.setMax("/b", "100000 100000\n")
    var files = ProcessorFiles(root: root.path)
    #expect(files.limit()?.thousandths == 2_000)
    root.write("/proc/self/cgroup", "0::/b\n")
    #expect(files.limit()?.thousandths == 1_000)
    root.setMax("/b", "max 100000\n")
    #expect(files.limit() == nil)
  }

  @Test("The first version's mount is recognised by its controllers, the second's by its kind")
  func hierarchies() {
    let groups = "3:cpuset:/s\n2:cpu,cpuacct:/c\n0::/two\n"
    let mounts = """
      30 1 0:26 / /x rw - cgroup cgroup rw,cpuset
      31 1 0:27 / /y rw - cgroup cgroup rw,cpu,cpuacct
      32 1 0:28 / /z rw - cgroup2 cgroup rw
      """
    func folder(_ hierarchy: ControlGroup.Hierarchy) -> String? {
      ControlGroup.place(hierarchy, groups: groups, mounts: mounts)?.folder
    }
    #expect(folder(.first("cpu")) == "/y/c")
    #expect(folder(.first("cpuset")) == "/x/s")
    #expect(folder(.first("memory")) == nil)
    #expect(folder(.second) == "/z/two")
    #expect(ControlGroup.Place(root: "/z", path: "/a/b").folders == ["/z/a/b", "/z/a", "/z"])
    #expect(ControlGroup.Place(root: "/z", path: "").folders == ["/z"])
  }
}
