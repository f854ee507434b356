// SafeMemoryTests.swift: words are read where they are, and refused where nothing is; also where the kernel refuses the quick
// way.
import CSignalbox
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

/// A page that can be closed.
private struct Page: ~Copyable {
  let address: UInt
  init() {
    let made = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    address = UInt(bitPattern: made)
    made.storeBytes(of: 0x1122_3344_5566_7788, as: UInt64.self)
  }
  func close() { mprotect(UnsafeMutableRawPointer(bitPattern: address), 4096, PROT_NONE) }
  deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), 4096) }
}

private func check() {
  let page = Page()
  #expect(SafeMemory.word64(page.address) == 0x1122_3344_5566_7788 && SafeMemory.word32(page.address) == 0x5566_7788)
  #expect(SafeMemory.word64(page.address + 1) == nil && SafeMemory.word64(0) == nil, "crooked, or nowhere")
  #expect(SafeMemory.word64(page.address, isAlive: true) == 0x1122_3344_5566_7788)
  errno = 77
  page.close()
  #expect(SafeMemory.word64(page.address) == nil && SafeMemory.word32(page.address) == nil && errno == 77)
}

@Suite("Safe reads of memory") struct SafeMemoryTests {
  @Test("A word is read where it is, and refused where nothing is")
  func words() { check() }

  @Test("A word is read too where the kernel refuses to read for us", arguments: [EPERM, ENOSYS])
  func refused(_ error: Int32) async {
    await #expect(processExitsWith: .success) { [error = error as Int32] in
      guard refuseReads(with: error) else { return Misuse.report("no filter is permitted") }
      let page = Page()
      var value: UInt64 = 0
      #expect(sb_read_memory(page.address, &value, 8) == Int64(-error), "the filter is at work")
      check()
    }
  }
}
