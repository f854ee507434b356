// Endings.swift: scenarios about the end of the process while workers are busy: it comes at once, with its status.
import Glibc

/// Keeps workers busy in every way there is. Returns when the serial queues have started; whether the others have depends
/// on the number of processors.
private func keepBusy() {
  for queue in [DispatchQueue(label: "wide", attributes: .concurrent), .global(), .global(qos: .background)] {
    queue.async { while true { _ = getppid() } }
  }
  let started = DispatchGroup()
  for _ in 0..<3 { started.enter() }
  DispatchQueue(label: "computing").async {
    started.leave()
    while true { _ = getppid() }
  }
  DispatchQueue(label: "asleep").async {
    started.leave()
    while true { sleep(1000) }
  }
  DispatchQueue(label: "waiting").async {
    started.leave()
    DispatchSemaphore(value: 0).wait()
  }
  breed(DispatchQueue(label: "breeding"))
  DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3600)) {}
  started.wait()
}

/// An item that submits the next, forever.
@Sendable private func breed(_ queue: DispatchQueue) {
  queue.async { breed(queue) }
}

/// exit() from a main-queue item.
func exitWithBusyWorkers() {
  keepBusy()
  DispatchQueue.main.async {
    say("end")
    exit(7)
  }
}

/// exit() from a worker while the main thread sleeps in dispatchMain().
func exitFromWorker() {
  keepBusy()
  DispatchQueue.main.async {
    DispatchQueue(label: "last").async {
      say("end")
      exit(8)
    }
  }
}

/// exit() from the main thread, which never called dispatchMain().
func exitWithoutMain() {
  keepBusy()
  say("end")
  exit(EXIT_SUCCESS)
}

/// A handler of exit() that still uses queues.
func exitHandler() {
  atexit {
    say("handler: \(DispatchQueue(label: "late").sync { 5 })")
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { say("late item") }
    group.wait()
  }
  DispatchQueue.main.async {
    say("end")
    exit(9)
  }
}
