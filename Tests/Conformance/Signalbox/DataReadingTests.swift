// DataReadingTests.swift: reading data: by index, by walking, as a collection, in a row, by copying. What it holds is DataTests.swift.
import Glibc
import Testing

extension Conformance {
  @Suite("Reading data") struct DataReading {
    private let data = sample(regions: [10, 5, 1, 14])

    @Test("Every byte is at its index")
    func indices() {
      for index in data.indices { #expect(data[index] == UInt8(index)) }
      #expect(data.startIndex == 0 && data.endIndex == 30)
      #expect(data.index(before: 5) == 4 && data.index(after: 5) == 6)
      #expect(data.first == 0 && data.last == 29)
    }

    @Test("Data is a collection of its bytes")
    func collection() {
      #expect(Array(data) == counting(30))
      #expect(data.reduce(0) { $0 + Int($1) } == 435)
      #expect(data.elementsEqual(counting(30)))
      #expect(Array(data.reversed()) == counting(30).reversed())
      #expect(data.firstIndex(of: 17) == 17)
      #expect(data.count { $0 % 2 == 0 } == 15)
      #expect(data.distance(from: 3, to: 20) == 17 && data.index(3, offsetBy: 4) == 7)
      #expect(Array(data.prefix(12)) == counting(12) && Array(data.suffix(3)) == counting(3, from: 27))
    }

    @Test("A slice keeps the indices")
    func slices() {
      let slice = data[8..<17]
      #expect(slice.startIndex == 8 && slice.endIndex == 17)
      #expect(Array(slice) == counting(9, from: 8))
      #expect(slice[15] == 15)
    }

    @Test("An iterator gives every byte once, and then nothing")
    func iterator() {
      var iterator = data.makeIterator()
      for number in 0..<30 { #expect(iterator.next() == UInt8(number)) }
      #expect(iterator.next() == nil && iterator.next() == nil)
      var copy = data.makeIterator()
      _ = copy.next()
      var other = copy
      #expect(copy.next() == 1 && copy.next() == 2 && other.next() == 1)
    }

    @Test("All bytes in a row are the regions' bytes, and the regions stay")
    func inARow() {
      for _ in 0..<2 {
        let sum = data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in (0..<30).reduce(0) { $0 + Int(bytes[$1]) } }
        #expect(sum == 435)
        #expect(data.withUnsafeBytes { (words: UnsafePointer<UInt16>) in words[6] } == 0x0D0C)
      }
      #expect(layout(data) == [[0, 10], [10, 5], [15, 1], [16, 14]])
    }

    @Test("An error of the body comes out")
    func errors() {
      struct Stop: Error {}
      #expect(throws: Stop.self) {
        try data.withUnsafeBytes { (_: UnsafePointer<UInt8>) throws -> Void in throw Stop() }
      }
    }

    @Test("Copies take what was asked for, or as much as there is")
    func copies() {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 40, alignment: 1)
      defer { buffer.deallocate() }
      func copied(_ copy: () -> Void) -> [UInt8] {
        buffer.initializeMemory(as: UInt8.self, repeating: 0xFF)
        copy()
        return Array(buffer.prefix { $0 != 0xFF })
      }
      #expect(copied { data.copyBytes(to: buffer, count: 12) } == counting(12))
      #expect(copied { data.copyBytes(to: buffer, count: 40) } == counting(30))
      #expect(copied { data.copyBytes(to: buffer, count: 0) } == [])
      #expect(copied { data.copyBytes(to: buffer, from: 9..<17) } == counting(8, from: 9))
      #expect(copied { data.copyBytes(to: buffer, from: 20..<50) } == counting(10, from: 20))
      #expect(copied { data.copyBytes(to: buffer, from: 30..<50) } == [])
    }

    @Test("Copies into typed memory take what fits, and say how much that is")
    func typedCopies() {
      let words = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: 4)
      defer { words.deallocate() }
      words.initialize(repeating: 0)
      #expect(data.copyBytes(to: words) == 8)
      #expect(words[0] == 0x0100 && words[3] == 0x0706)
      #expect(data.copyBytes(to: words, from: 9..<12) == 3)
      #expect(words[0] == 0x0A09 && words[1] == 0x030B)
      #expect(data.copyBytes(to: words, from: 0..<0) == 0)
      #expect(data.copyBytes(to: UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)) == 0)
      let many = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 20)
      defer { many.deallocate() }
      #expect(sample(7).copyBytes(to: many) == 7)
    }
  }
}
