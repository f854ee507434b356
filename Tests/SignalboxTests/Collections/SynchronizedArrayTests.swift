// SynchronizedArrayTests.swift: what each operation of the shared array does. Threads are CollectionStressTests.swift.
import Signalbox
import Testing

private struct Wrong: Error, Equatable { let code: Int }

@Suite("SynchronizedArray") struct SynchronizedArrayTests {
  private let array = SynchronizedArray([10, 20, 30], label: "numbers")

  @Test("Elements are read one by one, and where none is there is nil")
  func reading() {
    #expect(array.count == 3 && !array.isEmpty && array.label == "numbers")
    #expect(array.first == 10 && array.last == 30)
    #expect(array[0] == 10 && array[2] == 30)
    for index in [-1, 3, .max, .min] { #expect(array[index] == nil) }
    let empty = SynchronizedArray<String>()
    #expect(empty.isEmpty && empty.count == 0 && empty.first == nil && empty.last == nil && empty[0] == nil)
  }

  @Test("Elements are added, put in between, replaced and taken out")
  func changing() throws {
    array.append(40)
    array.append(contentsOf: 50...51)
    try array.insert(5, at: 0)
    try array.insert(60, at: 7)
    #expect(array.values == [5, 10, 20, 30, 40, 50, 51, 60])
    #expect(array.replace(at: 1, with: 11) == 10)
    #expect(array.remove(at: 2) == 20)
    #expect(array.popLast() == 60)
    #expect(array.popFirst() == 5)
    #expect(array.values == [11, 30, 40, 50, 51])
    #expect(array.removeAll { $0 >= 50 } == 2)
    #expect(array.values == [11, 30, 40])
    #expect(array.replaceAll(with: [1]) == [11, 30, 40])
    #expect(array.removeAll() == [1])
    #expect(array.isEmpty && array.popLast() == nil && array.popFirst() == nil)
  }

  @Test("An index out of range is reported, and changes nothing", arguments: [-1, 3, 4, .max, .min])
  func outOfRange(index: Int) {
    #expect(array.remove(at: index) == nil)
    #expect(array.replace(at: index, with: 0) == nil)
    #expect(array.update(at: index) { $0 = 0 } == nil)
    if index != 3 {
      #expect(throws: IndexOutOfRange(index: index, count: 3)) { try array.insert(0, at: index) }
    }
    #expect(array.values == [10, 20, 30])
    #expect("\(IndexOutOfRange(index: 9, count: 3))" == "index 9 is out of range: the count was 3")
  }

  @Test("An element is set, and changed in place")
  func subscripts() {
    array[1] = 21
    array[0]! += 1
    array[2]?.negate()
    #expect(array.values == [11, 21, -30])
    array[1] = nil
    array[7]? += 1
    #expect(array.values == [11, 21, -30])
  }

  @Test("A nested array is changed in place, without a copy")
  func inPlace() {
    let nested = SynchronizedArray([Array(0..<10)])
    nested.update(at: 0) { $0.reserveCapacity(100) }
    let before = nested.update(at: 0) { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    nested.update(at: 0) { $0.append(10) }
    let after = nested.update(at: 0) { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
    #expect(before == after && nested[0]?.count == 11)
  }

  @Test("Several elements are changed in one step, and the step returns something")
  func withLock() {
    let sum = array.withLock { elements -> Int in
      elements.swapAt(0, 2)
      elements.append(1)
      return elements.reduce(0, +)
    }
    #expect(sum == 61 && array.values == [30, 20, 10, 1])
  }

  @Test("After a body has thrown the array is whole and free, and the error keeps its type")
  func throwing() {
    #expect(throws: Wrong(code: 1)) {
      try array.withLock { elements throws(Wrong) in
        elements.append(40)
        throw Wrong(code: 1)
      }
    }
    #expect(array.values == [10, 20, 30, 40], "what was done before the throw is done")
    #expect(throws: Wrong(code: 2)) { try array.update(at: 0) { _ throws(Wrong) in throw Wrong(code: 2) } }
    #expect(throws: Wrong(code: 3)) {
      try array.removeAll { element throws(Wrong) in
        if element == 30 { throw Wrong(code: 3) }
        return true
      }
    }
    #expect(array.values == [10, 20, 30, 40], "all are taken out or none")
    #expect(throws: Wrong(code: 4)) { try array.firstIndex { _ throws(Wrong) in throw Wrong(code: 4) } }
    array.append(50)
    #expect(array.count == 5)
  }

  @Test("A synchronized array is a sequence, with loops, map, filter and searching")
  func sequence() {
    #expect(array.map { $0 / 10 } == [1, 2, 3])
    #expect(array.filter { $0 > 10 } == [20, 30])
    #expect(array.first { $0 > 10 } == 20)
    #expect(array.firstIndex { $0 > 10 } == 1)
    #expect(array.index { $0 > 10 } == 1)
    #expect(array.firstIndex(of: 30) == 2 && array.firstIndex(of: 31) == nil && array.index { $0 > 99 } == nil)
    #expect(array.contains(20) && !array.contains(21) && array.contains { $0 == 30 })
    #expect(array.sorted(by: >) == [30, 20, 10] && array.reduce(0, +) == 60)
    #expect(array.underestimatedCount == 0, "counted in another step than copied, it would be too high by then")
    #expect(Array(array) == [10, 20, 30] && "\(array)" == "[10, 20, 30]")
  }

  @Test("A loop iterates over a snapshot, and may change the array")
  func loops() {
    for number in array { array.append(number + 1) }
    #expect(array.values == [10, 20, 30, 11, 21, 31])
    #expect(array.map { element in array.remove(at: 0).map { $0 == element } } == Array(repeating: true, count: 6))
    #expect(array.isEmpty)
  }

  @Test("A copy has the same elements and changes independently")
  func copies() {
    let other = array.copy()
    other.append(40)
    array.remove(at: 0)
    #expect(other.values == [10, 20, 30, 40] && other.label == "numbers" && array.values == [20, 30])
    let object = Witness {}
    let objects = SynchronizedArray([object])
    #expect(objects.copy().first === object)
  }

  @Test("The deinit of a removed element may use the array")
  func lastWords() {
    let witnesses = SynchronizedArray<Witness>()
    let counts = SynchronizedArray<Int>()
    for _ in 0..<6 { witnesses.append(Witness { [unowned witnesses] in counts.append(witnesses.count) }) }
    witnesses[0] = Witness {}
    witnesses.remove(at: 1)
    witnesses.replace(at: 1, with: Witness {})
    witnesses.replaceAll(with: [])
    #expect(counts.values == [6, 5, 5, 0, 0, 0])
  }
}
