// FlakySeatTests.swift: an XCTest case that holds nearly always.
import BoxOffice
import Dispatch
import XCTest

final class FlakySeatTests: XCTestCase {
  func testASeatIsSoldOnce() {
    let plan = SeatPlan(), sales = Sales(), group = DispatchGroup()
    for guest in ["Ann", "Bob"] {
      DispatchQueue.global().async(group: group) { if plan.book(12, for: guest) { sales.add() } }
    }
    group.wait()
    XCTAssertEqual(sales.count, 1)
  }
}

/// How many seats were sold.
private final class Sales: @unchecked Sendable {
  private let queue = DispatchQueue(label: "sales")
  // SAFETY: read and written on `queue` alone.
  private var number = 0

  var count: Int { queue.sync { number } }
  func add() { queue.sync { number += 1 } }
}
