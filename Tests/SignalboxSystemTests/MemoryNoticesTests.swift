// MemoryNoticesTests.swift: finding the control group, reading its counters, asking for notices of stalls.
import Glibc
import Testing

@testable import SignalboxSystem

@Suite("Memory pressure notices and counters") struct MemoryNoticesTests {
  static func mount(_ root: String, _ place: String, kind: String = "cgroup2") -> String {
    "29 23 0:26 \(root) \(place) rw,nosuid shared:4 master:1 - \(kind) cgroup rw"
  }

  @Test("The group's folder is where its hierarchy is mounted")
  func folders() {
    let mounts = Self.mount("/", "/other", kind: "proc") + "\n" + Self.mount("/", "/sys/fs/cgroup") + "\n"
    #expect(ControlGroup.folder(groups: "0::/user/session\n", mounts: mounts) == "/sys/fs/cgroup/user/session")
    #expect(ControlGroup.folder(groups: "1:memory:/x\n0::/a\n", mounts: mounts) == "/sys/fs/cgroup/a")
    #expect(ControlGroup.folder(groups: "0::/\n", mounts: mounts) == "/sys/fs/cgroup", "the root, or a container's")
    #expect(ControlGroup.folder(groups: "1:memory:/x\n", mounts: mounts) == nil, "the first version alone")
    #expect(ControlGroup.folder(groups: "0::/a\n", mounts: "") == nil)
  }

  @Test("In a container only a part of the hierarchy may be mounted")
  func parts() {
    let mounts = Self.mount("/docker/1", "/sys/fs/cgroup")
    #expect(ControlGroup.folder(groups: "0::/docker/1/inner\n", mounts: mounts) == "/sys/fs/cgroup/inner")
    #expect(ControlGroup.folder(groups: "0::/docker/2\n", mounts: mounts) == nil)
    #expect(ControlGroup.folder(groups: "0::/docker/1\n", mounts: mounts) == "/sys/fs/cgroup", "the part's own root")
  }

  @Test("Blanks in a mount's place are written as octal digits")
  func blanks() {
    let mounts = Self.mount("/", "/a\\040b\\134c")
    #expect(ControlGroup.folder(groups: "0::/d\n", mounts: mounts) == "/a b\\c/d")
  }

  @Test("Counters are summed by what they mean")
  func counters() {
    let counts = MemoryEvents.Counts("low 1\nhigh 20\nmax 300\noom 4\noom_kill 50\nnew_name 6\nbroken\n")
    #expect(counts == .init(squeezed: 320, exhausted: 4))
    #expect(MemoryEvents.Counts("") == .init())
  }

  @Test("A trigger is accepted, or refused for a reason that the documents name")
  func trigger() {
    do {
      let trigger = try StallTrigger("/proc/pressure/memory", .some, stall: .milliseconds(200), window: .seconds(2))
      #expect(trigger.descriptor >= 0)
    } catch {
      #expect([ENOENT, EOPNOTSUPP, EACCES, EPERM].contains(error.code), "\(error)")
    }
  }

  @Test("A window of no allowed length is refused")
  func window() {
    #expect(throws: SystemError.self) {
      try StallTrigger("/proc/pressure/memory", .some, stall: .milliseconds(1), window: .microseconds(1))
    }
  }

  @Test("A file that is not there is refused")
  func absent() {
    #expect(throws: SystemError(call: "open", code: ENOENT)) { try MemoryEvents("/proc/signalbox") }
  }
}
