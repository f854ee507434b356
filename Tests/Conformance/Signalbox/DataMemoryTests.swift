// DataMemoryTests.swift: when data gives memory back that it was given: once, on the queue it was given, when its last reader goes.
import Glibc
import Testing

extension Conformance {
  @Suite("Memory of data") struct DataMemory {
    /// Data of `count` bytes of the heap, whose deallocator counts.
    private func counted(_ count: Int, _ counter: Counter, on queue: DispatchQueue? = nil) -> DispatchData {
      let memory = UnsafeMutableRawBufferPointer(start: malloc(max(count, 1)), count: count)
      memory.copyBytes(from: counting(count))
      nonisolated(unsafe) let address = memory.baseAddress  // SAFETY: the deallocator alone uses it, after all readers
      return DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(memory),
        deallocator: .custom(queue) {
          free(address)
          counter.add()
        })
    }

    @Test("Memory is given back once, after the last data that touches it")
    func once() {
      let counter = Counter()
      var data: DispatchData? = counted(100, counter)
      var part: DispatchData? = data?.subdata(in: 10..<20).subdata(in: 2..<5)
      var joined: DispatchData? = sample(3)
      joined?.append(part!)
      data = nil
      part = nil
      #expect(counter.value == 0)
      #expect(contents(joined!) == counting(3) + counting(3, from: 12))
      joined = nil
      expectEventually("the deallocator runs") { counter.value == 1 }
      recordFindings()
    }

    @Test("A part does not keep the regions that it does not touch")
    func partsKeepLittle() {
      let counter = Counter()
      var data: DispatchData? = .empty
      for _ in 0..<20 { data?.append(counted(10, counter)) }
      let part = data!.subdata(in: 55..<75)
      data = nil
      expectEventually("the others are given back") { counter.value == 17 }
      #expect(part.count == 20)
      #expect(counter.value == 17)
      withExtendedLifetime(part) {}
      recordFindings()
    }

    @Test("The deallocator runs on its queue")
    func queue() {
      let queue = DispatchQueue(label: "deallocations")
      let key = DispatchSpecificKey<Int>()
      queue.setSpecific(key: key, value: 7)
      let found = Recorder<Int?>()
      do {
        let memory = UnsafeRawBufferPointer(start: malloc(8), count: 8)
        // SAFETY: the deallocator alone uses it, after all readers.
        nonisolated(unsafe) let address = UnsafeMutableRawPointer(mutating: memory.baseAddress)
        _ = DispatchData(
          bytesNoCopy: memory,
          deallocator: .custom(queue) {
            free(address)
            found.add(DispatchQueue.getSpecific(key: key))
          })
      }
      found.wait(count: 1)
      #expect(found.entries == [7])
      recordFindings()
    }

    @Test("Memory of no bytes is given back too")
    func zeroLength() {
      let counter = Counter()
      let data = counted(0, counter)
      #expect(data.count == 0)
      expectEventually("the deallocator runs") { counter.value == 1 }
      recordFindings()
    }

    @Test("A value that grows lets go of what is cut off")
    func stream() {
      let counter = Counter()
      var buffer = DispatchData.empty
      for _ in 0..<500 {
        buffer.append(counted(16, counter))
        if buffer.count > 64 { buffer = buffer.subdata(in: 16..<buffer.count) }
      }
      expectEventually("all but the last are given back") { counter.value == 496 }
      #expect(buffer.count == 64)
      #expect(contents(buffer) == counting(16) + counting(16) + counting(16) + counting(16))
      recordFindings()
    }

    @Test("Many threads read, cut and drop one piece of data")
    func threads() {
      let counter = Counter()
      var data: DispatchData? = .empty
      for _ in 0..<50 { data?.append(counted(16, counter)) }
      let shared = Shared(data!)
      data = nil
      let wanted = Array(repeating: counting(16), count: 50).flatMap(\.self)
      DispatchQueue.concurrentPerform(iterations: 64) { number in
        let copy = shared.value
        let part = copy.subdata(in: number..<number + 100)
        expectEqual(Array(part), Array(wanted[number..<number + 100]))
        copy.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in expectEqual(bytes[number * 5], wanted[number * 5]) }
      }
      shared.value = .empty
      expectEventually("all is given back") { counter.value == 50 }
      recordFindings()
    }

    // The thread sanitizer does not see that a reader's reference is gone: it does not know the runtime's counts.
    @Test("Data grows while copies of it are read and dropped on other threads", .enabled(if: dlsym(nil, "__tsan_init") == nil))
    func growthBesideReaders() {
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "readers", attributes: .concurrent)
      var data = sample(1)
      for number in 1..<2_000 {
        if number % 3 == 0 {
          let copy = Shared(data)
          queue.async(group: group) {
            expectEqual(copy.value.count, number)
            expectEqual(copy.value[number / 2], UInt8(truncatingIfNeeded: number / 2))
            expectEqual(copy.value.last, UInt8(truncatingIfNeeded: number - 1))
          }
        }
        data.append(sample(1, from: number))
      }
      group.wait()
      #expect(contents(data) == counting(2_000))
      recordFindings()
    }
  }
}
