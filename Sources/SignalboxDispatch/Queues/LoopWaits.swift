// LoopWaits.swift: what the caller of a parallel loop tells the diagnosis when it waits for bodies that others run.
//
// Nobody owns a loop: whoever is inside of one of its bodies keeps the caller waiting. Like readers, participants cannot be named
// by a word, so each lists the loop among its shared holds, once for all bodies that it runs.
import SignalboxWaits
import SignalboxWords

enum LoopWaits {
  /// Leaves the record for the wait for the end of `apply` and searches for a cycle. `WaitRecord.withdraw()` must follow.
  static func begin(_ apply: ParallelApply, park: (word: UInt, value: UInt32)) {
    Waiting.begin(
      .apply, object: apply.address, isTimed: false, park: park, .init(OwnerWord(apply.address, .parallelLoop)))
  }
}
