// ScarceBridges.swift: bridges to the toolchain's library while the process has no descriptor left, of which that library needs some to
// begin with. Prints what became of each.
import Dispatch
import Foundation
import HostWork
import LoopRows
import SignalboxFoundation

enum ScarceBridges {
  static func run() -> Never {
    let queue = SignalboxFoundation.DispatchQueue.forwarding(to: Dispatch.DispatchQueue(label: "theirs"))
    let operations = SignalboxFoundation.OperationQueue.forwarding(to: Foundation.OperationQueue())
    let ran = SignalboxFoundation.DispatchSemaphore(value: 0)
    Scarcity.takeAll()
    makeToolchainQueue()
    queue.async { ran.signal() }
    operations.addOperation { ran.signal() }
    Scarcity.giveBack()
    ran.wait()
    ran.wait()
    say("both ran")
    exit(0)
  }

  private static func makeToolchainQueue() {
    do {
      _ = try SignalboxFoundation.DispatchQueue(label: "ours").makeToolchainQueue()
      say("made")
    } catch { say(error.reason == .noDescriptor ? "refused for want of a descriptor" : "refused") }
  }
}
