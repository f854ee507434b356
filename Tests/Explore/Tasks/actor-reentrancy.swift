// actor-reentrancy.swift: an account sees that there is enough money, waits for the audit, and then takes the money.
// While it waits its actor does other things: a second withdrawal can see the same money, and the balance goes below zero.
// Fix: the money is taken before the wait, in the step that has seen it.
import Glibc

actor Audit {
  private var entries = 0

  func record() async {
    entries += 1
    await Task.yield()
  }
}

actor Account {
  private var balance = 100
  private let audit = Audit()

  func withdraw(_ sum: Int) async {
    guard balance >= sum else { return }
    #if MENDED
    balance -= sum
    await audit.record()
    #else
    await audit.record()
    balance -= sum
    #endif
    if balance < 0 { fail("the balance is below zero") }
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  static func main() async {
    let account = Account()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await account.withdraw(100) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        await account.withdraw(100)
      }
    }
  }
}
