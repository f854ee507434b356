// StockTests.swift: tests of Swift Testing that hold under every schedule, some that take their time, and one that holds nearly always.
import BoxOffice
import Dispatch
import Foundation
import Testing

@Suite("Tickets") struct TicketTests {
  @Test("Who comes when tickets are left gets one", arguments: [1, 2, 5]) func left(_ count: Int) async {
    let stock = Stock(count), till = Till()
    for _ in 0..<count { #expect(await sell(from: stock, into: till)) }
    #expect(await !sell(from: stock, into: till))
  }

  @Test("As many tasks as tickets: each gets one") func together() async {
    let stock = Stock(4), till = Till()
    let sold = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 { group.addTask { await sell(from: stock, into: till) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(sold == 4)
    #expect(await stock.left == 0)
    #expect(await till.sum == 80)
  }

  @Test("Guests of different seats are not in each other's way") func seats() {
    let plan = SeatPlan()
    DispatchQueue.concurrentPerform(iterations: 6) { seat in #expect(plan.book(seat, for: "guest \(seat)")) }
    #expect(plan.taken == 6)
  }

  @Test("A message comes on the main actor") @MainActor func message() async {
    let plan = SeatPlan()
    let isBooked = await Task.detached { plan.book(3, for: "Ann") }.value
    #expect(isBooked)
    MainActor.assertIsolated()
  }
}

/// Ten seconds of the clock on the wall and more, one test after the other.
@Suite("Waiting", .serialized) struct WaitingTests {
  @Test("A task sleeps") func sleeps() async throws {
    let begin = ContinuousClock.now
    try await Task.sleep(for: .seconds(5))
    #expect(ContinuousClock.now - begin >= .seconds(5))
  }

  @Test("A limit passes, and the task is notified") func limit() async {
    let task = Task { try await Task.sleep(for: .seconds(100)) }
    try? await Task.sleep(for: .seconds(5))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// Each starts a program: another process, in which the test runs on.
@Suite("Exits") struct ExitTests {
  @Test("Who books a seat that is not there is stopped") func noSeat() async {
    await #expect(processExitsWith: .failure) { fatalError("there is no seat 100") }
  }

  @Test("A till that is closed in order ends well, and threads may run meanwhile") func closed() async {
    let plan = SeatPlan()
    async let booked = Task.detached { plan.book(1, for: "Ann") }.value
    await #expect(processExitsWith: .success) { exit(0) }
    #expect(await booked)
  }
}

@Suite("Flaky") struct FlakyTests {
  @Test("The last ticket is sold once") func lastTicket() async {
    let stock = Stock(1), till = Till()
    async let ann = sell(from: stock, into: till)
    async let bob = sell(from: stock, into: till)
    let sold = await [ann, bob].filter { $0 }.count
    #expect(sold == 1)
  }
}
