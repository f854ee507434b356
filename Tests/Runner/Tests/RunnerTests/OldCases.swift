// OldCases.swift: the same of cases for XCTest.
import XCTest

final class OldCases: XCTestCase {
  func testPasses() {}
  func testFails() { XCTAssertEqual(1, 2) }
  func testTraps() { fatalError("a case that traps") }
  func testUnder() {}
}
