// ProcessorsTests.swift: how many processors the process may keep busy, by its affinity. Limits are ProcessorLimitTests.swift.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("The number of usable processors") struct ProcessorsTests {
  @Test("At least one, and no more than the machine has")
  func available() {
    #expect(Processors.available() >= 1)
    #expect(Processors.available() <= sysconf(Int32(_SC_NPROCESSORS_CONF)))
  }

  @Test("The number is the affinity's or the limit's, whichever is less")
  func limited() {
    let root = FakeRoot(group: "/a")
    var files = ProcessorFiles(root: root.path)
    let unlimited = Processors.available(by: &files)
    root.setMax("/a", "10000 100000")
    #expect(Processors.available(by: &files) == 1)
    root.setMax("/a", "99900000 100000")
    #expect(Processors.available(by: &files) == min(unlimited, 999))
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
