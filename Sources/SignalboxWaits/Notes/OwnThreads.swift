// OwnThreads.swift: threads of the diagnosis itself, which scans leave out. Alone: all that scan and all that run ask it.
// They do nothing for others, unless they call a handler of the program's.
import SignalboxSystem

/// The threads, at most eight.
package enum OwnThreads {
  private static let leftOut = InlineArray<8, Atomic32> { _ in Atomic32(0) }
  /// Where their numbers are written.
  package static var place: UInt { withUnsafePointer(to: leftOut) { UInt(bitPattern: $0) } }

  /// The calling thread, of this number, never does anything for others: it only reads, but for what it does under
  /// `calling`.
  package static func leaveOut(_ thread: Int32) {
    let number = UInt32(bitPattern: thread)
    // acquire-release: a place is taken once; pairs with the acquire in `all`
    for place in leftOut.indices where leftOut[place].casAcqRel(0, number).exchanged { return }
  }

  // acquire: pairs with the swap in `leaveOut`
  package static var all: Set<Int32> { Set(leftOut.indices.map { Int32(bitPattern: leftOut[$0].loadAcquire()) }) }

  /// Runs `body`, which calls a handler of the program's on a thread that is left out: meanwhile that thread acts.
  package static func calling(_ body: () -> Void) {
    // seq_cst C1, both: before and after what the handler does; pairs with C2
    _ = callers.addSeqCst(1)
    body()
    _ = callers.subtractSeqCst(1)  // seq_cst C1
  }
  // seq_cst C2: pairs with C1: a caller that is not seen here has done nothing yet, or everything
  package static var isCalling: Bool { callers.loadSeqCst() > 0 }
  private static let callers = Atomic64(0)
}
