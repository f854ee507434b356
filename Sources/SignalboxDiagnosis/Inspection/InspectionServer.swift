// InspectionServer.swift: the thread that samples what the process does, and answers readers to which the kernel does
// not show its memory, or which want a running thread's stack. What it answers is InspectionRequests.swift, under which
// name it is found InspectionPlace.swift (SignalboxSystem), the protocol README.md.
import SignalboxSystem
import SignalboxWaits

/// The thread, made when the first thread of the program gets a slot and the environment asks for it.
enum InspectionServer {
  /// Makes it. No thread of the pool's: those may all be stuck.
  static func begin() {
    ProcessDescription.allowReaders()
    do {
      try Threads.spawn(name: "signalbox.asked", stackSize: 512 * 1024) { threadBody() }
    } catch {
      Misuse.report("\(InspectionRequest.variable)=1: the program cannot be inspected: \(error)")
    }
  }

  private static func threadBody() {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    let listener: LocalListener
    do { listener = try InspectionName.open() } catch {
      return Misuse.report("\(InspectionRequest.variable)=1: the program cannot be inspected: \(error)")
    }
    Layers.forEach { $0.inspectionBegins() }
    let pause = Atomic32(0)
    var next = Clock.uptime(), requests: InspectionRequests?
    while true {
      if Clock.uptime() >= next {
        Sampler.shared?.sample()
        next = Clock.uptime() &+ Sampler.interval
      }
      if let current = requests {
        if !current.answer(until: next) { requests = nil }
        continue
      }
      switch listener.accept(until: next) {
      case .connection(let connection): requests = InspectionRequests(connection)
      case .none: break
      // A program without descriptors may have some in a while.
      case .later: pause.park(expected: 0, deadline: .uptime(Clock.uptime() &+ 100_000_000))
      case .closed:
        return Misuse.report("the program has closed the socket by which it is inspected: it can be inspected no more")
      }
    }
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Instruments.inspection = { InspectionServer.begin() } }
