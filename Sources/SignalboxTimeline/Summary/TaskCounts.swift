// TaskCounts.swift: what a summary counts of Swift's tasks while a recording is gone through: how long each was busy,
// queued and suspended, and in which of the program's functions it waited. TaskTables.swift shows it.
//
// A task is suspended from the end of one of its items to the submission of the next, queued from there to that one's
// beginning. Time that it spends on an actor of its own is part of the first: the actor's item runs it, and the
// recording does not say which tasks it ran.
import SignalboxRecorder
import SignalboxSystem

struct TaskCounts {
  /// Tasks that began with one function.
  struct Kind {
    let function: AwaitChain.Function
    /// How many there were, and their parts between two awaits.
    var tasks = 0
    var running = Spread(), queued = Spread(), suspended = Spread()
    /// When the longest wait began.
    var longestAt: ReadNumber = 0
  }

  /// Waits in one function, of tasks of one kind.
  struct Await {
    let function: AwaitChain.Function
    let kind: Int
    var times = Spread()
    var longestAt: ReadNumber = 0
  }

  /// Items of actors of one class.
  struct Actor {
    var queued = Spread(), running = Spread()
    var longestAt: ReadNumber = 0
  }

  /// A chain of awaits, and how many items went on by it.
  struct Chain {
    let functions: AwaitChain
    var count = 0
    var at: ReadNumber
  }

  private(set) var kinds: [Kind] = [], awaits: [Await] = []
  private(set) var actors: [String: Actor] = [:], chains: [ReadNumber: Chain] = [:]
  private var kindNumbers: [AwaitChain.Function: Int] = [:], awaitNumbers: [AwaitKey: Int] = [:]
  private var known: [ReadNumber: Known] = [:]

  private struct AwaitKey: Hashable {
    let function: AwaitChain.Function
    let kind: Int
  }

  /// A task that has run: with which function it began, and when its last item ended.
  private struct Known {
    let kind: Int
    var ended: ReadNumber?
  }

  /// What follows is not known of any task: events were lost.
  mutating func forget() { for number in known.keys { known[number]?.ended = nil } }

  mutating func began(_ item: TimelineItem, _ names: TimelineNames, at time: ReadNumber) {
    guard let task = item.task else { return }
    let queued = item.submitted.map { time - min(time, $0.time) }
    if task.number == 0 {
      if let queued, actors[names.actor(task), default: Actor()].queued.add(queued) {
        actors[names.actor(task)]?.longestAt = time - queued
      }
      return
    }
    let chain = names.chain(task)
    guard let inner = chain.functions.first, let outer = chain.functions.last else { return }
    chains[task.label, default: Chain(functions: chain, at: time)].count += 1
    let number = kind(of: task, outer)
    if let queued { kinds[number].queued.add(queued) }
    guard let ended = known[task.number]?.ended, let submitted = item.submitted?.time else { return }
    let waited = submitted - min(submitted, ended), wait = wait(in: inner, number)
    if kinds[number].suspended.add(waited) { kinds[number].longestAt = ended }
    if awaits[wait].times.add(waited) { awaits[wait].longestAt = ended }
  }

  mutating func ended(_ item: TimelineItem, _ names: TimelineNames, after took: ReadNumber, at time: ReadNumber) {
    guard let task = item.task else { return }
    if task.number == 0 { actors[names.actor(task), default: Actor()].running.add(took) }
    guard let kind = known[task.number]?.kind else { return }
    kinds[kind].running.add(took)
    known[task.number]?.ended = time
  }

  private mutating func kind(of task: TimelineTask, _ function: AwaitChain.Function) -> Int {
    if let known = known[task.number] { return known.kind }
    let number = kindNumbers[function] ?? kinds.count
    if number == kinds.count {
      kindNumbers[function] = number
      kinds.append(Kind(function: function))
    }
    kinds[number].tasks += 1
    known[task.number] = Known(kind: number)
    return number
  }

  private mutating func wait(in function: AwaitChain.Function, _ kind: Int) -> Int {
    let key = AwaitKey(function: function, kind: kind)
    if let known = awaitNumbers[key] { return known }
    awaitNumbers[key] = awaits.count
    awaits.append(Await(function: function, kind: kind))
    return awaits.count - 1
  }
}
