// ReadNumberTests.swift: numbers that were read: no bits, and no order of steps, end the program, and small ones count
// as numbers do.
import SignalboxSystem
import Testing

@Suite("Numbers that were read") struct ReadNumberTests {
  private static let edges: [UInt64] = [
    0, 1, 2, 7, 63, 64, 255, 1 << 31, 1 << 32, 1 << 48, 1 << 62, 1 << 63, .max - 1, .max, UInt64(Int.max), UInt64(Int.max) + 1,
  ]

  @Test("Arithmetic of any two numbers stays between the bounds, and is exact where the result fits", arguments: edges, edges)
  func arithmetic(left: UInt64, right: UInt64) {
    let one = ReadNumber(left), other = ReadNumber(right)
    let sum = left.addingReportingOverflow(right), product = left.multipliedReportingOverflow(by: right)
    #expect(one + other == ReadNumber(sum.overflow ? .max : sum.partialValue))
    #expect(one * other == ReadNumber(product.overflow ? .max : product.partialValue))
    #expect((one - other).bits == (left > right ? left - right : 0))
    #expect((one / other).bits == (right == 0 ? .max : left / right) && (one % other).bits == (right == 0 ? 0 : left % right))
    #expect(one.moved(by: other).distance(from: one) == other)
    #expect(one.isBetween(other, and: .max) == (left >= right) && one.isBetween(0, and: other) == (left <= right))
    #expect((one..<other).lowerBound == one && (one..<other).isEmpty == (left >= right))
  }

  @Test("A number becomes another type only if it fits, and an Int only up to a limit", arguments: edges)
  func waysOut(bits: UInt64) {
    let number = ReadNumber(bits)
    #expect(number.exactly(UInt8.self) == UInt8(exactly: bits) && number.exactly(Int.self) == Int(exactly: bits))
    #expect(number.lowest(UInt16.self) == UInt16(bits & 0xFFFF))
    #expect(number.int(upTo: 100) == (bits < 100 ? Int(bits) : 100) && number.int(upTo: -1) == 0)
    #expect("\(number)" == "\(bits)" && number.hexadecimal == "0x" + String(bits, radix: 16))
  }

  @Test("An element is found by any number, or is not there", arguments: edges)
  func elements(bits: UInt64) {
    let all = ["a", "b", "c"]
    #expect(all[at: ReadNumber(bits)] == (bits < 3 ? all[Int(bits)] : nil))
    #expect(all[1...][at: ReadNumber(bits)] == (bits < 2 ? all[Int(bits) + 1] : nil))
    #expect(all.first(ReadNumber(bits)).count == Int(min(bits, 3)))
  }

  @Test("A count below 0 is none")
  func counts() { #expect(ReadNumber(count: -3) == 0 && ReadNumber(count: 3) == 3) }
}
