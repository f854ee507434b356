// Account.swift: one customer's account. It has a queue of its own, so that customers do not wait for one another.

// SAFETY of @unchecked: the balance belongs to `queue`.
final class Account: @unchecked Sendable {
  private let queue: DispatchQueue
  private let journal: Journal
  private let stage: Stage
  private var balance = 0

  init(_ number: Int, _ journal: Journal, _ stage: Stage) {
    queue = DispatchQueue(label: "account \(number)")
    (self.journal, self.stage) = (journal, stage)
  }

  func deposit(_ amount: Int, _ group: DispatchGroup) { queue.async(group: group) { self.add(amount) } }

  /// A month's statement, for which nobody waits.
  func requestStatement(_ group: DispatchGroup) { queue.async(group: group, qos: .background) { self.printStatement() } }

  /// The customer stands at the counter. The third fault: on a serial queue that is urgent only once the statements are printed.
  func pay(_ amount: Int, _ group: DispatchGroup) {
    queue.async(group: group, qos: .userInteractive) { self.add(-amount) }
  }

  private func printStatement() { stage.keep(.urgent, milliseconds: 60) }

  private func add(_ amount: Int) {
    balance += amount
    journal.add(amount)
  }
}
