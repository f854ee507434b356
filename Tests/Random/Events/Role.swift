// Role.swift: what takes part in a play: an object of the engine, what is done to it, and what it must have done in the end.
import Signalbox

/// One part. All of it is called by the play's thread.
protocol Role: AnyObject {
  /// One legal call, or none.
  func step(_ script: inout Script)
  /// Nothing more is asked of it: balances what is open.
  func finish()
  /// Goes on towards the end; true when it has come.
  func isSettled() -> Bool
  /// Once it has settled: compares what was done with what was reported.
  func judge()
  /// For the report of a play that hangs.
  var summary: String { get }
  /// What must not outlive the play.
  var objects: [AnyObject] { get }
}

/// What all parts of a play share.
final class Stage: Sendable {
  let faults = Faults()
  let living = Tally()
  /// Jobs of the play's own that run beside it.
  let elsewhere = Tally()
  let queues: [DispatchQueue]
  /// How often each of the two signals was raised.
  let raised = [Tally(), Tally()]

  init() {
    let serial = DispatchQueue(label: "play.serial")
    queues = [
      serial, DispatchQueue(label: "play.concurrent", attributes: .concurrent), DispatchQueue.global(),
      DispatchQueue(label: "play.inner", target: serial), DispatchQueue(label: "play.other"),
    ]
  }

  /// Does something on another thread, at some time before the play ends.
  func elsewhere(_ body: @escaping @Sendable () -> Void) {
    elsewhere.add()
    DispatchQueue.global().async { [elsewhere] in
      body()
      elsewhere.add(-1)
    }
  }
}
