// Registry.swift: every scenario, in the order of the listing; finding them by name.

/// All scenarios.
public enum Registry {
  /// Every subject, in the order in which a reader would learn them: queues, waiting, shared data, time and events, operations, threads, and
  /// what goes wrong.
  public static let subjects: [Subject] = [
    Subject("In which order queues run their items", page: "signalboxdispatch/dispatchqueue", QueueScenarios.all),
    Subject("Which threads run items, and how many there are", page: "signalbox/howitworks", ThreadScenarios.all),
    Subject("The main queue", page: "signalboxdispatch/mainqueue", MainQueueScenarios.all),
    Subject("Queues: kinds, classes, labels, states", page: "signalbox/classesofservice", KindScenarios.all),
    Subject("Queues on target queues", page: "signalboxdispatch/dispatchqueue", TargetScenarios.all),
    Subject("Work items: waited for, followed, cancelled", page: "signalboxdispatch/dispatchworkitem", WorkItemScenarios.all),
    Subject("Groups: when everything is done", page: "signalboxdispatch/dispatchgroup", GroupScenarios.all),
    Subject("Semaphores", page: "signalboxdispatch/dispatchsemaphore", SemaphoreScenarios.all),
    Subject("Parallel loops", page: "signalboxdispatch/dispatchqueue", ApplyScenarios.all),
    Subject("Barriers: many readers, one writer", page: "signalbox/choosingalockoraqueue", BarrierScenarios.all),
    Subject("Collections behind a queue", page: "signalbox/synchronizedarray", CollectionScenarios.all),
    Subject("Collections and helpers that are there", page: "signalbox", PatternScenarios.all),
    Subject("Locks", page: "signalbox/choosingalockoraqueue", LockScenarios.all),
    Subject("Conditions", page: "signalboxfoundation/nscondition", ConditionScenarios.all),
    Subject("Once", page: "signalboxlocks/once", OnceScenarios.all),
    Subject("Delays", page: "signalboxdispatch/dispatchtime", AfterScenarios.all),
    Subject("Timer sources", page: "signalboxdispatch/dispatchsourcetimer", TimerScenarios.all),
    Subject("Sources of other events", page: "signalboxdispatch/dispatchsource", SourceScenarios.all),
    Subject("Channels", page: "signalboxdispatch/dispatchio", ChannelScenarios.all),
    Subject("Data in regions", page: "signalboxdispatch/dispatchdata", DataScenarios.all),
    Subject("Operations and their queues", page: "signalboxfoundation/operationqueue", OperationScenarios.all),
    Subject("Operations with a state of their own", page: "signalboxfoundation/operation", CustomOperationScenarios.all),
    Subject("Threads: how they begin", page: "signalboxfoundation/thread", ThreadClassScenarios.all),
    Subject("Threads: how they end", page: "signalboxfoundation/thread", ThreadEndScenarios.all),
    Subject(
      "Methods performed on another thread, or later", page: "signalboxfoundation/threadperforming", PerformScenarios.all),
    Subject("Timers of run loops", page: "signalboxfoundation/timer", LoopTimerScenarios.all),
    Subject("Notifications between threads", page: "signalboxfoundation/notificationqueue", NotificationScenarios.all),
    Subject("Lost updates and inverted priorities", page: "signalbox/classesofservice", ProblemScenarios.all),
    Subject("Deadlocks of queues", page: "signalbox/readingadeadlockreport", DeadlockScenarios.all),
    Subject("Deadlocks of locks", page: "signalbox/readingadeadlockreport", LockDeadlockScenarios.all),
    Subject("Waits for queues that start nothing", page: "signalbox/stalldetector", StoppedQueueScenarios.all),
    Subject("Waits for operations that nobody ends", page: "signalbox/stalldetector", OperationStallScenarios.all),
    Subject("Misuse that is noticed", page: "signalbox/differencesinmisuse", MisuseScenarios.all),
  ]

  /// Every scenario, by subject.
  public static let all: [Scenario] = subjects.flatMap(\.scenarios)

  /// The subject that the scenario of that name belongs to.
  public static func subject(of name: String) -> Subject? {
    subjects.first { $0.scenarios.contains { $0.name == name } }
  }

  /// The scenario of that name.
  public static func scenario(_ name: String) -> Scenario? { all.first { $0.name == name } }

  /// The names nearest to one that does not exist, nearest first; at most three, none that is too far.
  public static func namesNear(_ name: String) -> [String] {
    let wanted = name.lowercased()
    let rated = all.map { scenario -> (name: String, distance: Int) in
      let isPart = wanted.count > 2 && scenario.name.contains(wanted)
      return (scenario.name, isPart ? 0 : EditDistance.between(wanted, scenario.name))
    }
    let near = rated.filter { $0.distance <= max(3, $0.name.count / 2) }
    return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }
}

/// How many letters must be put in, left out or changed to make one text of another.
enum EditDistance {
  static func between(_ one: String, _ other: String) -> Int {
    let one = Array(one), other = Array(other)
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (column, counterpart) in other.enumerated() {
        next.append(min(row[column] + (letter == counterpart ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row[other.count]
  }
}
