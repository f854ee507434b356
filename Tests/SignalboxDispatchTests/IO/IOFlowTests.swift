// IOFlowTests.swift: how far channels run ahead: of their handlers, and of writes that hold what they have read.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Channels limit how far they read ahead", .serialized) struct IOFlowTests {
  /// Bytes that the file pointer has moved: how much of the file has been read.
  private func position(_ number: Int32) -> Int { lseek(number, 0, SEEK_CUR) }

  @Test("A read is ahead of its handler by a few megabytes at most")
  func aheadOfHandler() {
    let file = IOFile(count: 64 << 20)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let queue = DispatchQueue(label: "slow")
    queue.suspend()
    let channel = ends.channel(.stream, number)
    let reading = IOCalls.read(channel, 0, .max, on: queue, keepsBytes: false)
    #expect(eventually { position(number) >= 2 << 20 })
    waitForWhatMustNotCome(milliseconds: 20)
    #expect(position(number) <= 4 << 20)
    queue.resume()
    _ = reading.wait()
    #expect(reading.count == 64 << 20)
    channel.close()
    #expect(ends.wait() == [0])
    close(number)
  }

  @Test("A read pauses while writes hold much of what it read, and goes on for a moment when they move nothing")
  func aheadOfWrites() {
    let file = IOFile(count: 64 << 20)
    let number = file.open(O_RDONLY)
    let pipe = IOPipe()
    let ends = IOEnds()
    let (input, output) = (ends.channel(.stream, number), ends.channel(.stream, pipe.input))
    let queue = DispatchQueue(label: "copy")
    let copied = Count(), finished = Count()
    input.read(offset: 0, length: .max, queue: queue) { done, data, _ in
      guard let data, data.count > 0 else { return }
      output.write(offset: 0, data: data, queue: queue) { done, _, _ in
        if done { copied.add(UInt64(data.count)) }
      }
      if done { finished.add() }
    }
    #expect(eventually { position(number) >= 16 << 20 })
    waitForWhatMustNotCome(milliseconds: 50)
    // The pipe takes nothing: 16 MiB, what was under way, and a piece for each tenth of a second.
    #expect(position(number) <= 40 << 20)
    var buffer = [UInt8](repeating: 0, count: 1 << 20), taken = 0
    while taken < 64 << 20, case let count = read(pipe.output, &buffer, buffer.count), count > 0 { taken += count }
    #expect(taken == 64 << 20)
    #expect(eventually { copied.value == 64 << 20 })
    input.close()
    output.close()
    #expect(ends.wait(count: 2) == [0, 0])
    close(number)
  }

  @Test("Copying keeps memory far below the file's size, and the copy is the file")
  func copyInLittleMemory() async {
    await #expect(processExitsWith: .success) {
      killOnHang(after: 500)
      let size = 160 << 20
      let (source, target) = (IOFile(count: size), IOFile())
      let (from, to) = (source.open(O_RDONLY), target.open(O_WRONLY))
      let ends = IOEnds()
      let (input, output) = (ends.channel(.stream, from), ends.channel(.stream, to))
      let queue = DispatchQueue(label: "copy")
      let copied = Count()
      let before = IOMemory.residentBytes
      input.read(offset: 0, length: .max, queue: queue) { _, data, _ in
        guard let data, data.count > 0 else { return }
        let bytes = UInt64(data.count)
        output.write(offset: 0, data: data, queue: queue) { done, _, _ in if done { copied.add(bytes) } }
      }
      #expect(eventually(within: 100) { copied.value == UInt64(size) })
      #expect(IOMemory.mostResidentBytes - before < 64 << 20)
      input.close()
      output.close()
      #expect(ends.wait(count: 2) == [0, 0])
      #expect(source.isSame(as: target))
    }
  }

  @Test("Keeping all data does not stop a read")
  func keptData() {
    let file = IOFile(count: 48 << 20)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let channel = ends.channel(.random, number)
    let reading = IOCalls.read(channel, 0, .max, keepsData: true, keepsBytes: false)
    let time = duration { _ = reading.wait() }
    #expect(reading.count == 48 << 20)
    #expect(time < patience * 1_000_000_000)
    channel.close()
    #expect(ends.wait() == [0])
    close(number)
  }

  @Test("Parts of data that was read keep its buffer, and only that")
  func parts() {
    let file = IOFile(count: 8 << 20)
    let number = file.open(O_RDONLY)
    let ends = IOEnds()
    let channel = ends.channel(.random, number)
    let reading = IOCalls.read(channel, 0, 8 << 20, keepsData: true, keepsBytes: false)
    _ = reading.wait()
    let part = reading.data.subdata(in: 1_000_000..<1_000_010)
    reading.dropData()
    #expect(Array(part) == IOFile.pattern(1_000_000..<1_000_010))
    channel.close()
    #expect(ends.wait() == [0])
    close(number)
  }
}
