// WrittenPagesTests.swift: which pages of its memory a process has written: those that are there, and none of parts of
// terabytes, as sanitizers map them. The files that it has mapped are ProcessDescriptionTests.swift.
import Glibc
import Testing

@testable import SignalboxSystem

/// Memory of its own, given back with the value.
private struct Mapping: ~Copyable {
  let start: UInt
  let count: Int

  /// nil: the kernel lends that much to no process.
  init?(_ count: Int) {
    let made = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let made, made != MAP_FAILED else { return nil }
    (start, self.count) = (UInt(bitPattern: made), count)
  }
  deinit { munmap(UnsafeMutableRawPointer(bitPattern: start), count) }

  /// Writes a byte.
  func write(at offset: Int) {
    // SAFETY: within the mapping, which lives as long as this value.
    UnsafeMutableRawPointer(bitPattern: start + UInt(offset))?.storeBytes(of: 1, as: UInt8.self)
  }
  /// How many bytes of it are in these parts.
  func bytes(in parts: [Range<ReadNumber>]) -> Int {
    let own = ReadNumber(UInt64(start))..<ReadNumber(UInt64(start) + UInt64(count))
    return parts.map { $0.clamped(to: own) }.reduce(0) { $0 + Int(($1.upperBound - $1.lowerBound).bits) }
  }
}

@Suite("Written pages of a process") struct WrittenPagesTests {
  @Test("Pages that were written are there, and those beside them are not")
  func written() {
    guard let mapping = Mapping(1 << 30) else {
      Issue.record("the kernel lends no gigabyte")
      return
    }
    let before = mapping.bytes(in: OtherPages.written(process: OwnProcess.id))
    for offset in [0, 1 << 20, 1 << 29] { mapping.write(at: offset) }
    let after = mapping.bytes(in: OtherPages.written(process: OwnProcess.id))
    // The kernel may give larger pages.
    #expect(before == 0 && after >= 3 * Threads.pageSize && after <= 3 << 21, "\(before), \(after)")
  }

  @Test("A part of two terabytes is left out, and soon")
  func huge() {
    // A kernel that lends no more than there is lends that much to no process.
    guard let mapping = Mapping(2 << 40) else { return }
    mapping.write(at: 1 << 20)
    let begin = Clock.uptime()
    var found = 0
    for _ in 0..<10 { found += mapping.bytes(in: OtherPages.written(process: OwnProcess.id)) }
    #expect(found == 0 && Clock.uptime() - begin < 60_000_000_000)
  }
}
