// Trio.swift: scenes in which three threads race, and how they are played in many orders. The scenes are …TrioTests.swift.
//
// Of every three, one is stopped after n moves and a second after m, for all n and m; then the third goes on until it
// is through or asleep, then the first, then the second, then every thread that can. That in all six orders of the
// three: every schedule with this many changes of thread. A move is an operation of the seam, or several plain stores
// in a row.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

/// A scene that is set: which threads are to race, and what must be so in the end.
struct TrioScene {
  /// The numbers of three threads.
  let racers: [Int]
  /// What is wrong once no thread can go on; nil if nothing is.
  var complaintAtRest: () -> String? = { nil }
  /// Lets the threads go on that may be asleep by then.
  var dismissal: () -> Void = {}
  /// What is wrong once all threads have ended; nil if nothing is.
  let complaint: () -> String?
}

enum Trio {
  /// Sets the scene anew, with waits that end after this many milliseconds; nil if one has ended before the scene was ready, on a
  /// busy machine: it is given more time then.
  typealias Set = (Stage, Int64) -> TrioScene?

  /// Plays a scene in every such order; ends the process, with the schedule, if something is wrong.
  static func play(_ set: Set) {
    setenv("SIGNALBOX_DEADLOCK", "ignore", 1)  // no walks between the locks' own operations
    LockTuning.rounds = 0
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var (first, isFirstThrough) = (0, false)
      while !isFirstThrough {
        isFirstThrough = true
        var (second, isSecondThrough) = (0, false)
        while !isSecondThrough {
          let isHeld = perform(order, first, second, set)
          if isHeld.first { isFirstThrough = false }
          isSecondThrough = !isHeld.second
          second += 1
        }
        first += 1
      }
    }
  }

  /// One performance. Whether the first two were still on their way after their moves.
  private static func perform(_ order: [Int], _ first: Int, _ second: Int, _ set: Set) -> (first: Bool, second: Bool) {
    for doubling in 0..<8 {
      LockTuning.patience = .max / 4
      let stage = Stage(joiningStores: true)
      let scene = set(stage, 8 << doubling)
      var isHeld = (first: false, second: false)
      if let racers = scene?.racers {
        isHeld.first = stage.step(racers[order[0]], first).isStopped
        isHeld.second = stage.step(racers[order[1]], second).isStopped
        for index in [2, 0, 1] { stage.run(racers[order[index]]) }
        stage.settle()
        if let complaint = scene?.complaintAtRest() { stage.fail(complaint) }
        scene?.dismissal()
      }
      stage.end()
      if let complaint = scene?.complaint() { stage.fail(complaint) }
      if scene != nil { return isHeld }
    }
    Stage().fail("the machine is too busy for this scene")
  }
}

/// The result of an exit test in which a scene was played: whether the scene says anything.
func expectNoSchedule(_ result: ExitTest.Result?) {
  #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
}
#endif
