// timeout-and-answer.swift: a payment and a time limit race in a group; if the limit is first the customer hears that nothing was paid.
// Cancelling the payment undoes nothing: the sum can be charged although the limit was first.
// Fix: whether it is given up is decided where the sum is charged, in one step that sees whether it was.
import Glibc

actor Server {
  private(set) var isCharged = false
  private var isGivenUp = false

  func charge() { if !isGivenUp { isCharged = true } }

  /// Gives the payment up unless the sum was charged, and says whether it did.
  func giveUp() -> Bool {
    if !isCharged { isGivenUp = true }
    return isGivenUp
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  static func main() async {
    let server = Server()
    let isLate = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await Task.yield()
        await server.charge()
        return false
      }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(40))
        return true
      }
      let isLate = await group.next()!
      group.cancelAll()
      return isLate
    }
    #if MENDED
    let isOver = isLate ? await server.giveUp() : false
    #else
    let isOver = isLate
    #endif
    let isCharged = await server.isCharged
    if isOver && isCharged { fail("charged, and given up") }
  }
}
