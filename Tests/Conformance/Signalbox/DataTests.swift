// DataTests.swift: what data holds, and where: making, appending, cutting, regions. Reading it is DataReadingTests.swift, giving
// memory back is DataMemoryTests.swift.
import Glibc
import Testing

/// Data in one region: `count` bytes that count up from `first`.
func sample(_ count: Int, from first: Int = 0) -> DispatchData {
  let bytes = (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
  return bytes.withUnsafeBytes { DispatchData(bytes: $0) }
}

/// Data in regions of those lengths, whose bytes count up.
func sample(regions lengths: [Int]) -> DispatchData {
  var data = DispatchData.empty
  for length in lengths { data.append(sample(length, from: data.count)) }
  return data
}

/// Where regions begin, and their lengths.
func layout(_ data: DispatchData) -> [[Int]] {
  var regions: [[Int]] = []
  data.enumerateBytes { buffer, offset, _ in regions.append([offset, buffer.count]) }
  return regions
}

/// All bytes, by walking through the regions.
func contents(_ data: DispatchData) -> [UInt8] {
  var bytes: [UInt8] = []
  data.enumerateBytes { buffer, offset, _ in
    #expect(offset == bytes.count)
    bytes += buffer
  }
  return bytes
}

/// `count` bytes that count up from `first`.
func counting(_ count: Int, from first: Int = 0) -> [UInt8] { (first..<first + count).map { UInt8(truncatingIfNeeded: $0) } }

extension Conformance {
  @Suite("Data") struct Data {
    @Test("No bytes have no regions")
    func empty() {
      for data in [DispatchData.empty, sample(0), DispatchData(bytes: UnsafeRawBufferPointer(start: nil, count: 0))] {
        #expect(data.count == 0 && data.isEmpty)
        #expect(layout(data).isEmpty)
        #expect(Array(data) == [])
        #expect(data.startIndex == 0 && data.endIndex == 0)
      }
    }

    @Test("Bytes are copied when data is made of them")
    func copies() {
      var bytes: [UInt8] = [1, 2, 3]
      let data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
      bytes[1] = 9
      #expect(contents(data) == [1, 2, 3])
      #expect(layout(data) == [[0, 3]])
    }

    // The toolchain's module counts references of the library's constant destructors: with its own library it crashes.
    @Test("Bytes stay where they are when data takes them over", .enabled(if: engineIsOurs))
    func noCopy() {
      let memory = UnsafeMutableRawBufferPointer(start: malloc(100), count: 100)
      let data = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(memory), deallocator: .free)
      data.enumerateBytes { buffer, _, _ in
        #expect(UnsafeRawPointer(buffer.baseAddress!) == UnsafeRawPointer(memory.baseAddress!))
      }
      #expect(data.count == 100)
    }

    @Test("Appending keeps both sides' regions, in their order")
    func append() {
      var data = sample(regions: [10, 5])
      #expect(layout(data) == [[0, 10], [10, 5]])
      data.append(.empty)
      #expect(layout(data) == [[0, 10], [10, 5]])
      data.append(data)
      #expect(layout(data) == [[0, 10], [10, 5], [15, 10], [25, 5]])
      #expect(contents(data) == counting(15) + counting(15))
      var other = DispatchData.empty
      other.append(data)
      #expect(contents(other) == contents(data))
    }

    @Test("Appended bytes and elements are one region each")
    func appendBytes() {
      var data = DispatchData.empty
      [1, 2, 3 as UInt8].withUnsafeBytes { data.append($0) }
      [0x0201, 0x0403 as UInt16].withUnsafeBufferPointer { data.append($0) }
      data.append(UnsafeRawBufferPointer(start: nil, count: 0))
      #expect(layout(data) == [[0, 3], [3, 4]])
      #expect(contents(data) == [1, 2, 3, 1, 2, 3, 4])
    }

    @Test("A copy of a value does not grow with it")
    func values() {
      var data = sample(regions: [3, 3])
      let before = data
      data.append(sample(4))
      #expect(before.count == 6 && data.count == 10)
      #expect(contents(before) == counting(6))
      var longer = before
      longer.append(sample(2))
      #expect(contents(before) == counting(6))
      #expect(contents(longer) == counting(6) + counting(2))
    }

    @Test("A part is cut from the regions that it touches")
    func subdata() {
      let data = sample(regions: [10, 5, 10, 5])
      #expect(layout(data.subdata(in: 3..<17)) == [[0, 7], [7, 5], [12, 2]])
      #expect(layout(data.subdata(in: 0..<30)) == layout(data))
      #expect(layout(data.subdata(in: 10..<15)) == [[0, 5]])
      #expect(layout(data.subdata(in: 11..<14)) == [[0, 3]])
      #expect(contents(data.subdata(in: 3..<17)) == counting(14, from: 3))
      #expect(layout(data.subdata(in: 3..<17).subdata(in: 6..<13)) == [[0, 1], [1, 5], [6, 1]])
    }

    @Test("A range of a part is cut to what there is")
    func subdataOutside() {
      let data = sample(regions: [10, 5])
      #expect(layout(data.subdata(in: 5..<100)) == [[0, 5], [5, 5]])
      for range in [50..<100, 15..<20, 3..<3, 15..<15, -5..<3, -5 ..< -2] {
        #expect(data.subdata(in: range).isEmpty, "\(range)")
      }
    }

    @Test("Each byte's region is found")
    func region() {
      let data = sample(regions: [10, 5, 1, 8])
      for (begin, length) in [(0, 10), (10, 5), (15, 1), (16, 8)] {
        for location in begin..<begin + length {
          let region = data.region(location: location)
          #expect(region.offset == begin)
          #expect(contents(region.data) == counting(length, from: begin))
        }
      }
      for location in [24, 25, 1000, -1] {
        let region = data.region(location: location)
        #expect(region.data.isEmpty && region.offset == 24)
      }
    }

    @Test("A walk through regions ends when its body says so")
    func stop() {
      let data = sample(regions: [1, 2, 3, 4, 5])
      var visited: [Int] = []
      data.enumerateBytes { buffer, _, stop in
        visited.append(buffer.count)
        stop = visited.count == 3
      }
      #expect(visited == [1, 2, 3])
    }

    @Test("Data of many regions grows at both ends and from its middle", arguments: [2, 3, 17, 100, 1000])
    func growth(regions: Int) {
      var back = DispatchData.empty
      var front = DispatchData.empty
      for number in 0..<regions {
        back.append(sample(2, from: 2 * number))
        var next = sample(2, from: 2 * (regions - 1 - number))
        next.append(front)
        front = next
      }
      let wanted = counting(2 * regions)
      #expect(contents(back) == wanted && contents(front) == wanted)
      #expect(layout(back).count == regions && layout(front).count == regions)
      for cut in [0, 1, 2, regions, 2 * regions - 1, 2 * regions] {
        var joined = back.subdata(in: 0..<cut)
        joined.append(front.subdata(in: cut..<2 * regions))
        #expect(contents(joined) == wanted)
      }
    }

    @Test("Random joining and cutting keeps every byte", arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) {
      var random = DataRandom(state: seed)
      var pieces: [(data: DispatchData, bytes: [UInt8])] = []
      for _ in 0..<2_000 {
        switch pieces.count < 4 ? 0 : random.number(below: 8) {
        case 0, 1, 2:
          let count = random.number(below: 20), first = random.number(below: 256)
          pieces.append((sample(count, from: first), counting(count, from: first)))
        case 3, 4, 5:
          let other = pieces[random.number(below: pieces.count)], place = random.number(below: pieces.count)
          guard pieces[place].bytes.count + other.bytes.count < 4_000 else { continue }
          pieces[place].data.append(other.data)
          pieces[place].bytes += other.bytes
        case 6:
          let piece = pieces[random.number(below: pieces.count)]
          let lower = random.number(below: piece.bytes.count + 1)
          let upper = lower + random.number(below: piece.bytes.count - lower + 1)
          pieces.append((piece.data.subdata(in: lower..<upper), Array(piece.bytes[lower..<upper])))
        default: pieces.swapAt(random.number(below: pieces.count), 0)
        }
        if pieces.count > 12 { pieces.remove(at: random.number(below: pieces.count)) }
      }
      for piece in pieces {
        #expect(piece.data.count == piece.bytes.count)
        #expect(contents(piece.data) == piece.bytes)
        #expect(Array(piece.data) == piece.bytes)
      }
    }
  }
}

/// Numbers that are the same at every run.
struct DataRandom {
  var state: UInt64
  mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
