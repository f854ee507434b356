// ProcessorsTests.swift: how many processors the process may keep busy: affinity and the cgroup's share.
import Glibc
import Testing

@testable import SignalboxSystem

@Suite("The number of usable processors") struct ProcessorsTests {
  @Test(
    "A cgroup's limit is rounded up to whole processors; anything else is no limit",
    arguments: [
      ("200000 100000", 2), ("150000 100000", 2), ("100000 100000", 1), ("1000 100000", 1), ("6400000 100000", 64),
      ("max 100000", nil), ("", nil), ("100000", nil), ("0 100000", nil), ("-1 100000", nil), ("100000 0", nil),
      ("1 2 3", nil), ("two three", nil),
    ] as [(String, Int?)])
  func cpuMax(line: String, share: Int?) { #expect(Processors.share(cpuMax: line) == share) }

  @Test("At least one, and no more than the machine has")
  func available() {
    #expect(Processors.available() >= 1)
    #expect(Processors.available() <= sysconf(Int32(_SC_NPROCESSORS_CONF)))
  }

  /// The C library's call that Swift's import of it lacks: get or set the calling thread's affinity.
  static func affinity(_ call: String, _ mask: inout [UInt8]) -> Int32 {
    typealias Call = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32
    let function = unsafeBitCast(dlsym(nil, call)!, to: Call.self)
    return mask.withUnsafeMutableBytes { function(0, $0.count, $0.baseAddress!) }
  }

  @Test("Affinity is respected, and read anew")
  func affinity() async {
    await #expect(processExitsWith: .success) {
      var before = [UInt8](repeating: 0, count: 128)
      #expect(ProcessorsTests.affinity("sched_getaffinity", &before) == 0)
      var one = [UInt8](repeating: 0, count: 128)
      let place = before.firstIndex { $0 != 0 }!
      one[place] = before[place] & ~(before[place] - 1)
      #expect(ProcessorsTests.affinity("sched_setaffinity", &one) == 0)
      #expect(Processors.available() == 1)
      #expect(ProcessorsTests.affinity("sched_setaffinity", &before) == 0)
      #expect(Processors.available() <= before.reduce(0) { $0 + $1.nonzeroBitCount })
    }
  }
}
