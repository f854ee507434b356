// SeatTests.swift: XCTest cases that hold under every schedule, and two that take their time.
import BoxOffice
import Foundation
import XCTest

final class SeatTests: XCTestCase {
  func testASeatThatIsTakenIsNotFree() {
    let plan = SeatPlan()
    XCTAssertTrue(plan.book(1, for: "Ann"))
    XCTAssertFalse(plan.isFree(1))
    XCTAssertFalse(plan.book(1, for: "Bob"))
    XCTAssertEqual(plan.guest(of: 1), "Ann")
  }

  func testGuestsOfDifferentSeatsAreNotInEachOthersWay() {
    let plan = SeatPlan()
    DispatchQueue.concurrentPerform(iterations: 6) { seat in XCTAssertTrue(plan.book(seat, for: "guest \(seat)")) }
    XCTAssertEqual(plan.taken, 6)
  }

  func testOperationsBookInTheirOrder() {
    let plan = SeatPlan(), line = OperationQueue()
    line.maxConcurrentOperationCount = 2
    let first = BlockOperation { XCTAssertTrue(plan.book(7, for: "Ann")) }
    let second = BlockOperation { XCTAssertFalse(plan.book(7, for: "Bob")) }
    second.addDependency(first)
    line.addOperations([second, first], waitUntilFinished: true)
    XCTAssertEqual(plan.guest(of: 7), "Ann")
  }

  func testAMessageComesOverTheMainQueue() {
    let sold = expectation(description: "sold"), plan = SeatPlan()
    DispatchQueue.global().async {
      let isBooked = plan.book(3, for: "Ann")
      DispatchQueue.main.async { if isBooked { sold.fulfill() } }
    }
    wait(for: [sold], timeout: 20)
  }

  func testTasksBookToo() async {
    let plan = SeatPlan()
    let booked = await withTaskGroup(of: Bool.self) { group in
      for seat in 0..<4 { group.addTask { plan.book(seat, for: "guest \(seat)") } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    XCTAssertEqual(booked, 4)
  }
}

/// Ten seconds of the clock on the wall.
final class WaitingTests: XCTestCase {
  func testThreadsWaitForTheDoors() {
    let doors = Turnstile(), begin = Date()
    let guests = (0..<3).map { _ in Guest(doors) }
    Thread.sleep(forTimeInterval: 4)
    doors.open()
    for guest in guests { XCTAssertTrue(guest.leave()) }
    XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begin), 4)
  }

  func testAReminderComesLater() {
    let reminded = expectation(description: "reminded")
    DispatchQueue.main.asyncAfter(deadline: .now() + 6) { reminded.fulfill() }
    wait(for: [reminded], timeout: 60)
  }
}

/// A thread that goes in when the doors are open.
private final class Guest: @unchecked Sendable {
  private let gone = DispatchSemaphore(value: 0)
  // SAFETY: written before `gone` is signalled, read after.
  private var isIn = false

  init(_ doors: Turnstile) {
    Thread { [self] in
      isIn = doors.pass(by: Date(timeIntervalSinceNow: 60))
      gone.signal()
    }.start()
  }

  func leave() -> Bool {
    gone.wait()
    return isIn
  }
}
