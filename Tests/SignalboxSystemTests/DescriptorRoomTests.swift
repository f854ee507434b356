// DescriptorRoomTests.swift: room for a few descriptors, asked in a process that has none left, and some.
import Glibc
import SignalboxSystem
import Testing

@Suite("Room for file descriptors") struct DescriptorRoomTests {
  @Test("The body runs only if there is room for all descriptors, and none stays open")
  func room() async {
    await #expect(processExitsWith: .success) {
      var limits = rlimit(rlim_cur: 64, rlim_max: 64)
      guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { exit(10) }
      // Another thread of the process, which is the test library's, may have a descriptor for a moment: then the numbers are off.
      var fault: Int32 = 0
      for _ in 0..<20 {
        fault = DescriptorRoomTests.fault()
        if fault == 0 { return }
      }
      exit(fault)
    }
  }

  /// What is wrong; 0: nothing.
  private static func fault() -> Int32 {
    var taken: [Int32] = [], calls = 0
    defer { for descriptor in taken { close(descriptor) } }
    while case let copy = dup(2), copy >= 0 { taken.append(copy) }
    func isRefused(_ count: Int) -> Bool {
      do throws(SystemError) { try DescriptorRoom.call(needing: count) { calls += 1 } } catch { return error.code == EMFILE }
      return false
    }
    guard isRefused(1), calls == 0 else { return 11 }
    close(taken.removeLast())
    guard isRefused(2), calls == 0 else { return 12 }
    guard !isRefused(1), calls == 1 else { return 13 }
    guard !isRefused(1), calls == 2 else { return 14 }  // it stayed free
    let room = taken.count + 1  // however many the process was given
    while let descriptor = taken.popLast() { close(descriptor) }
    guard !isRefused(room), calls == 3 else { return 15 }
    return isRefused(room + 1) && calls == 3 ? 0 : 16
  }
}
