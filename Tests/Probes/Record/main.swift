// main.swift: a program to be recorded: what it does is known to the item, so that tests can count it in the recording.
//   RecordProbe work ROUNDS     ROUNDS times: items on a serial queue, a sync, a barrier, a group, a semaphore, a lock, a timer
//   RecordProbe api FILE        the same, recorded by the program itself
//   RecordProbe wide            each way to submit; queues and threads that come and go; ends by exit in an item of the main queue
//   RecordProbe churn T Q       on each of T threads Q queues, one after the other, each with an item that marks which it is
//   RecordProbe accept ROUNDS   ROUNDS times: twelve connections, which a source accepts one after the other
//   RecordProbe tasks ROUNDS    ROUNDS times: four tasks, which the pool runs, each of which calls an actor on a queue
//   RecordProbe copy FLIGHT COPY NEXT   a flight recording into FLIGHT, copied to COPY after 3 rounds; then a recording of 2 rounds into NEXT;
//                               says what is refused in between
//   RecordProbe fork FILE       uses queues in a recording into FILE, and so does the child of a fork; ends when that has
//   RecordProbe WHAT            what is reported or dies: see Reports.swift
//   RecordProbe endless         items until it is killed; says "ready" once some have run
//   RecordProbe cost EVENTS     how long one mark takes, in nanoseconds
//   RecordProbe cost COUNT async, sync or floor      the same of an item, of a turn, of a time stamp and three stores
import Glibc
import Signalbox
import SignalboxSystem

/// What each run of `work` does once, and each round.
enum Work {
  static let serial = DispatchQueue(label: "probe.serial")
  static let concurrent = DispatchQueue(label: "probe.concurrent", attributes: .concurrent)

  static func run(_ rounds: Int) {
    let group = DispatchGroup()
    let done = DispatchSemaphore(value: 0)
    for round in 0..<rounds {
      Recorder.mark("round", UInt64(round))
      for _ in 0..<4 { serial.async(group: group) { step() } }
      serial.async { step() }
      concurrent.async(group: group) { step() }
      concurrent.async(group: group, flags: .barrier) { step() }
      Recorder.interval("inside", UInt64(round)) { serial.sync { step() } }
      group.wait()
    }
    // A lock whose holder sleeps, once somebody waits for it.
    let lock = MutexLock(), waiter = Atomic64(0)
    lock.lock()
    serial.async {
      waiter.storeRelease(UInt64(ThreadSlot.kernelID()))
      lock.withLock { step() }
      done.signal()
    }
    serial.asyncAfter(deadline: .now() + .milliseconds(20)) { done.signal() }
    while KernelThread.sample(waiter.loadAcquire())?.isWaiting != true { sched_yield() }
    usleep(5_000)
    lock.unlock()
    done.wait()
    done.wait()
  }

  // MARK: wide

  /// Items of queues that live: by how many ways, and how often each.
  static let ways = 50
  private static let members = DispatchGroup()

  static func wide() -> Never {
    let group = members
    let target = DispatchQueue(label: "wide.target")
    let inner = [DispatchQueue(label: "wide.one", target: target), DispatchQueue(label: "wide.two", target: target)]
    let beside = DispatchQueue(label: "wide.beside", attributes: .concurrent, target: target)
    let late = DispatchQueue(label: "wide.late", attributes: .initiallyInactive)
    for _ in 0..<ways {
      for queue in inner + [beside, late, .global(), .main] { queue.async(group: group) { step() } }
      serial.async(group: group, execute: DispatchWorkItem { step() })
      let cancelled = DispatchWorkItem { fatalError("a cancelled item runs") }
      cancelled.cancel()
      serial.async(execute: cancelled)
      inner[0].sync { step() }
      concurrent.sync(flags: .barrier) { step() }
      concurrent.asyncAndWait { step() }
      concurrent.asyncAfter(deadline: .now() + .milliseconds(1), execute: DispatchWorkItem { step() })
    }
    late.activate()
    target.suspend()
    target.async(group: group) { step() }
    target.resume()
    DispatchQueue.concurrentPerform(iterations: 64) { _ in step() }
    comeAndGo()
    group.notify(queue: .main) { concurrent.sync(flags: .barrier) { leave() } }
    dispatchMain()
  }

  private static func leave() { exit(0) }

  /// Threads one after the other, each of which makes queues, uses them and lets them go.
  private static func comeAndGo() {
    for number in 0..<ways {
      var thread = pthread_t()
      pthread_create(&thread, nil, useShortLived, nil)
      pthread_join(thread, nil)
      if number % 10 == 0 { Recorder.mark("threads", UInt64(number)) }
    }
  }

  static func useQueues() {
    for number in 0..<20 { DispatchQueue(label: "short.\(number)").async(group: members) { step() } }
  }

  // MARK: churn

  static func churn(_ threads: Int, _ queues: Int) {
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for number in 0..<queues {
        let queue = DispatchQueue(label: "churn.\(thread).\(number)")
        queue.async { Recorder.mark("queue", UInt64(thread) << 32 | UInt64(number)) }
        queue.sync {}
      }
    }
  }

  @inline(never) static func step() { withExtendedLifetime(serial) {} }

  static func cost(_ events: Int, of what: String = "mark") -> Double {
    let start = clock()
    switch what {
    case "async":
      // Few enough at a time that none waits for memory.
      var left = events
      while left > 0 {
        for _ in 0..<min(left, 1_000) { serial.async { step() } }
        left -= 1_000
        serial.sync {}
      }
    case "sync": for _ in 0..<events { serial.sync { step() } }
    case "floor":
      let room = UnsafeMutablePointer<UInt64>.allocate(capacity: 32_760)
      room.initialize(repeating: 1, count: 32_760)
      for index in 0..<events {
        let place = index % 10_920 * 3
        (room[place + 1], room[place + 2], room[place]) = (UInt64(index), 1, Clock.ticks())
      }
      precondition(room[0] != 0)
      room.deallocate()
    default: for index in 0..<events { Recorder.mark("cost", UInt64(index)) }
    }
    return Double(clock() - start) * 1e9 / Double(CLOCKS_PER_SEC) / Double(events)
  }
}

/// On a queue of its own.
actor Guest {
  private static let queue = DispatchQueue(label: "probe.visited")
  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.queue.asUnownedSerialExecutor() }
  private var visits = 0
  func visit() { visits += 1 }
}

@globalActor actor Keeper {
  static let shared = Keeper()
  @Keeper static var guests = 0
}

enum Jobs {
  static func run(_ rounds: Int) {
    adoptConcurrency()
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<rounds {
      Task.detached(name: "host of a round of visits", priority: .utility) {
        await hosts(Guest())
        done.signal()
      }
      done.wait()
    }
  }

  private static func hosts(_ guest: Guest) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { await guest.visit() } }
    }
    await Task { @Keeper in Keeper.guests += 1 }.value
  }
}

private func useShortLived(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Work.useQueues()
  return nil
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "work": Work.run(Int(arguments[2])!)
case "api":
  try Recorder.start(file: arguments[2])
  Work.run(3)
  Recorder.stop()
  Work.run(3)
case "copy": try Copies.run(arguments[2], arguments[3], arguments[4])
case "fork": try Copies.fork(arguments[2])
case "deadlock": Reports.deadlock()
case "cycles": Reports.cycles(Int(arguments[2])!)
case "stall": Reports.stall()
case "order": Reports.order()
case "long": Reports.longItem()
case "die": Reports.die(Int32(arguments[2])!)
case "wide": Work.wide()
case "churn": Work.churn(Int(arguments[2])!, Int(arguments[3])!)
case "accept": Accepting.run(Int(arguments[2])!)
case "tasks": Jobs.run(Int(arguments[2])!)
case "endless":
  Work.run(10)
  _ = write(1, "ready\n", 6)
  while true { Work.run(1) }
case "cost":
  let what = arguments.count > 3 ? arguments[3] : "mark"
  _ = Work.cost(1_000, of: what)
  print(Work.cost(Int(arguments[2])!, of: what))
default: exit(64)
}
