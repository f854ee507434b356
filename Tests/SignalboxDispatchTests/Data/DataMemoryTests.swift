// DataMemoryTests.swift: what the toolchain's library cannot be asked: the constant deallocators, memory of no bytes at no address,
// and messages.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Memory of data") struct DataMemoryTests {
  /// Whether all pages are mapped.
  private func isMapped(_ address: UnsafeMutableRawPointer, _ count: Int) -> Bool { msync(address, count, MS_ASYNC) == 0 }

  @Test("Mapped memory is unmapped when the last part is gone")
  func unmap() {
    let size = 4 * 4_096
    let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    var data = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: pages, count: size), deallocator: .unmap)
    var part = data.subdata(in: 5_000..<6_000)
    data = .empty
    #expect(isMapped(pages, size) && part.first == 0)
    part = .empty
    #expect(!isMapped(pages, size))
  }

  @Test("Memory of the heap is freed, so that as much is used after many rounds as before")
  func free() async {
    await #expect(processExitsWith: .success) {
      func round() {
        let memory = malloc(10_000)
        let data = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: 10_000), deallocator: .free)
        precondition(data.subdata(in: 10..<20).count == 10)
        _ = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: malloc(10_000), count: 0), deallocator: .free)
      }
      for _ in 0..<10 { round() }
      let before = Memory.allocated()
      for _ in 0..<100 { round() }
      // One block in a hundred would be 10,000 bytes.
      precondition(Memory.allocated() - before < 5_000, "\(before) bytes before, \(Memory.allocated()) after")
    }
  }

  @Test("Joining and cutting leaves nothing behind")
  func allWait() async {
    await #expect(processExitsWith: .success) {
      func round() {
        var data = DispatchData.empty, random = Generator(state: 7)
        for number in 0..<2_000 {
          data.append(region(100, from: number))
          if random.number(below: 3) == 0 { data.append(data.subdata(in: random.number(below: data.count)..<data.count)) }
          if data.count > 20_000 { data = data.subdata(in: random.number(below: 19_000)..<20_000) }
          if random.number(below: 9) == 0 {
            data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in precondition(bytes[0] >= 0) }
          }
        }
      }
      round()
      let before = Memory.allocated()
      for _ in 0..<5 { round() }
      precondition(Memory.allocated() - before < 5_000, "\(before) bytes before, \(Memory.allocated()) after")
    }
  }

  @Test("No bytes at no address have a deallocator too")
  func noBytesNowhere() {
    let count = Count()
    let data = DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(start: nil, count: 0), deallocator: .custom(nil) { count.add() })
    #expect(data.isEmpty)
    #expect(eventually { count.value == 1 })
  }

  @Test("A body is called with a pointer for no bytes as well")
  func emptyInARow() {
    #expect(DispatchData.empty.withUnsafeBytes { (_: UnsafePointer<UInt64>) in 7 } == 7)
  }

  @Test("Memory that no mapping begins with stays, and is reported")
  func unmapElsewhere() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      let memory = malloc(100)! + 1
      _ = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: 10), deallocator: .unmap)
      exit(3)
    }
    expectReport(result, saying: "data of 10 bytes", "give what mmap returned")
  }

  @Test("An index outside stops the program", arguments: [5, 6, -1, Int.max])
  func index(index: Int) async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { [index] in
      let data = [1, 2, 3, 4, 5 as UInt8].withUnsafeBytes { DispatchData(bytes: $0) }
      _ = data[index]
    }
    expectStop(result, saying: "the index \(index) is outside of data of 5 bytes", "from 0 up to, not including, count")
  }

  @Test("A range outside stops a typed copy", arguments: [[0, 6], [-1, 3], [5, 7]])
  func range(bounds: [Int]) async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { [bounds] in
      let data = [1, 2, 3, 4, 5 as UInt8].withUnsafeBytes { DispatchData(bytes: $0) }
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 20)
      _ = data.copyBytes(to: buffer, from: bounds[0]..<bounds[1])
    }
    expectStop(result, saying: "the range \(bounds[0])..<\(bounds[1]) is outside of data of 5 bytes")
  }

  @Test("A copy that does not fit stops the program")
  func shortBuffer() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let data = [1, 2, 3, 4, 5 as UInt8].withUnsafeBytes { DispatchData(bytes: $0) }
      data.copyBytes(to: UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1), count: 4)
    }
    expectStop(result, saying: "4 bytes of data are to be copied to a buffer of 3")
  }
}
