// Clients.swift: those who come to the bank: an ordinary morning, and then each of the three faults, one after the other.

struct Clients: Sendable {
  private static let accounts = 4, deposits = 200, statements = 4, questions = 12

  private let stage: Stage
  private let journal: Journal
  private let display: Display
  private let exchange: Exchange
  private let accounts: [Account]

  init(_ stage: Stage) {
    let journal = Journal(stage)
    (self.stage, self.journal) = (stage, journal)
    (display, exchange) = (Display(journal), Exchange(stage))
    accounts = (1...Self.accounts).map { Account($0, journal, stage) }
  }

  func run() {
    let group = DispatchGroup()
    for number in 0..<Self.deposits { accounts[number % Self.accounts].deposit(number, group) }
    group.wait()

    measure("the display took") {
      journal.flush($0)
      journal.awaitFlush()
      display.refresh($0)
    }
    measure("the rates took") {
      exchange.rush(Self.questions, $0)
      guard stage.isHeld else { return }
      stage.awaitLine(.pool)
      exchange.answer(Self.questions)
    }
    measure("a payment took") {
      for _ in 0..<Self.statements { accounts[2].requestStatement($0) }
      accounts[2].pay(30, $0)
    }
    Stage.say("the journal has \(journal.total()) in all")
  }

  /// Says how long it took until all that was begun had ended.
  private func measure(_ what: String, _ body: (DispatchGroup) -> Void) {
    let group = DispatchGroup(), begin = DispatchTime.now().uptimeNanoseconds
    body(group)
    group.wait()
    Stage.say("\(what) \((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000) ms")
  }
}
