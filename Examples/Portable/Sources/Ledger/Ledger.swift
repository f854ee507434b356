// Ledger.swift: accounts that many threads use. The same text for Signalbox and for Apple's own libraries.

/// Accounts and their balances.
public final class Ledger: @unchecked Sendable {
  // SAFETY: the ledger owns `balances`; only items of `queue` touch them, and those that write are barriers.
  private var balances: [String: Int] = [:]
  private let queue = DispatchQueue(label: "ledger", attributes: .concurrent)

  /// An empty ledger.
  public init() {}

  /// Adds to an account, at some time.
  public func add(_ amount: Int, to account: String) {
    queue.async(flags: .barrier) { self.balances[account, default: 0] += amount }
  }

  /// What an account holds after all that was added before.
  public func balance(of account: String) -> Int { queue.sync { balances[account, default: 0] } }

  /// Adds all amounts, several at once, and returns when that is done.
  public func add(_ amounts: [Int], to account: String, width: Int = 4) {
    let operations = OperationQueue()
    operations.maxConcurrentOperationCount = width
    for amount in amounts { operations.addOperation { self.add(amount, to: account) } }
    operations.waitUntilAllOperationsAreFinished()
  }
}
