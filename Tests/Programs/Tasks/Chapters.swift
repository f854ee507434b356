// Chapters.swift: the chapters of this program. What they share is in Shared.swift.

func tasks() async {
  say("value", await Task { 6 * 7 }.value)
  say("detached", await Task.detached(priority: .background) { 1 + 1 }.value)
  do {
    _ = try await Task<Int, any Error> { throw Failure(number: 3) }.value
  } catch {
    say("thrown", error)
  }
  var sum = 0
  for task in (1...1_000).map({ number in Task { number } }) { sum += await task.value }
  say("a thousand tasks", sum)
  for priority in [TaskPriority.low, .medium, .high, .background, .userInitiated, .utility] {
    await Task(priority: priority) {}.value
  }
  say("priorities", "all ran")
  say("nested tasks", await depth(50))
  for _ in 0..<100 { await Task.yield() }
  say("yield", "came back")
}

/// Urgent tasks that do nothing but let others run, for as long as less urgent ones have not. Nobody awaits those: that would raise
/// them.
func classes() async {
  let flags = [Flag(), Flag()]
  let urgent = (0..<8).map { _ in
    Task.detached(priority: .high) {
      while !flags.allSatisfy({ $0.isUp }) { await Task.yield() }
      return 1
    }
  }
  for (flag, priority) in zip(flags, [TaskPriority.low, .background]) { _ = Task.detached(priority: priority) { flag.raise() } }
  var sum = 0
  for task in urgent { sum += await task.value }
  say("urgent tasks that gave way to others", sum)
}

func cancellation() async {
  let sleeper = Task {
    do {
      try await Task.sleep(for: .seconds(3_600))
      return "slept"
    } catch {
      return "\(error)"
    }
  }
  sleeper.cancel()
  say("cancelled sleep", await sleeper.value)
  let handled = Task {
    await withTaskCancellationHandler {
      while !Task.isCancelled { await Task.yield() }
      return "noticed"
    } onCancel: {
    }
  }
  handled.cancel()
  say("cancelled loop", await handled.value)
}

func groups() async {
  say(
    "group",
    await withTaskGroup(of: Int.self) { group in
      for number in 1...200 { group.addTask { number * number } }
      return await group.reduce(0, +)
    })
  do {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { throw Failure(number: 7) }
      for _ in 0..<3 { group.addTask { try await Task.sleep(for: .seconds(3_600)) } }
      try await group.next()
    }
  } catch {
    say("throwing group", error)
  }
  let discarded = Counter()
  await withDiscardingTaskGroup { group in
    for _ in 0..<100 { group.addTask { await discarded.add(1) } }
  }
  say("discarding group", await discarded.count)
  say(
    "groups in groups",
    await withTaskGroup(of: Int.self) { outer in
      for _ in 0..<8 {
        outer.addTask {
          await withTaskGroup(of: Int.self) { inner in
            for number in 0..<8 { inner.addTask { number } }
            return await inner.reduce(0, +)
          }
        }
      }
      return await outer.reduce(0, +)
    })
}

func children() async {
  async let three = square(3)
  async let four = square(4)
  say("async let", await three + four)
}

func actors() async {
  let counter = Counter()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<20 { group.addTask { for _ in 0..<500 { await counter.add(1) } } }
  }
  say("actor", await counter.count)
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<50 { group.addTask { await counter.addSlowly() } }
  }
  say("reentrant actor", await counter.count)
  for _ in 0..<10 { await Task.detached { await Shelf.add() }.value }
  say("global actor", await Task { @Archive in Shelf.papers }.value)
  let desk = Desk()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<25 { group.addTask { await desk.add() } }
  }
  await Task.detached { await MainActor.run { desk.add() } }.value
  say("main actor", await desk.papers)
}

func time() async throws {
  let pause = Duration.milliseconds(20)
  say("sleep", await isSlept(pause) { try await Task.sleep(for: pause) })
  say("sleep in nanoseconds", await isSlept(pause) { try await Task.sleep(nanoseconds: 20_000_000) })
  say("sleep with tolerance", await isSlept(pause) { try await Task.sleep(for: pause, tolerance: .milliseconds(5)) })
  say(
    "sleep on the suspending clock",
    await isSlept(pause) { try await Task.sleep(for: pause, tolerance: .milliseconds(1), clock: .suspending) })
  say(
    "sleep until",
    await isSlept(pause) { try await Task.sleep(until: .now + pause, tolerance: .milliseconds(1), clock: .continuous) })
  say("sleep of nothing", await isSlept(.zero) { try await Task.sleep(for: .zero) })
  say(
    "a hundred sleepers",
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          let nap = Duration.milliseconds(number % 10)
          return await isSlept(nap) {
            try await Task.sleep(for: nap, tolerance: number.isMultiple(of: 2) ? .milliseconds(2) : nil)
          }
        }
      }
      return await group.allSatisfy { $0 }
    })
  let late = Task { try await Task.sleep(for: .seconds(3_600), tolerance: .seconds(60)) }
  try await Task.sleep(for: .milliseconds(5))
  late.cancel()
  say("cancelled sleep with tolerance", await late.result.map { "slept" }.mapError { $0 as any Error })
}

func rest() async {
  let (stream, source) = AsyncStream.makeStream(of: Int.self)
  let producer = Task.detached {
    for number in 1...100 { source.yield(number) }
    source.finish()
  }
  say("stream", await stream.reduce(0, +))
  await producer.value
  say("continuation", await withCheckedContinuation { waiter in Task.detached { waiter.resume(returning: "resumed") } })
  let inherited = await Context.$name.withValue("inside") { await Task { Context.name }.value }
  say("task local", "\(inherited), then \(Context.name)")
}
