// Registry.swift: every scenario, in the order of the listing; finding them by name.

/// All scenarios.
public enum Registry {
  /// Every scenario, by subject.
  public static let all: [Scenario] = [
    QueueScenarios.all, ThreadScenarios.all, MainQueueScenarios.all, KindScenarios.all, GroupScenarios.all,
    SemaphoreScenarios.all, OnceScenarios.all, ApplyScenarios.all, AfterScenarios.all, TimerScenarios.all,
    SourceScenarios.all, ChannelScenarios.all, DataScenarios.all, BarrierScenarios.all, WorkItemScenarios.all,
    TargetScenarios.all, CollectionScenarios.all, PatternScenarios.all, ProblemScenarios.all, LockScenarios.all,
    ConditionScenarios.all, OperationScenarios.all, CustomOperationScenarios.all, OperationStallScenarios.all,
    ThreadClassScenarios.all, ThreadEndScenarios.all, PerformScenarios.all, LoopTimerScenarios.all, NotificationScenarios.all,
    DeadlockScenarios.all, StoppedQueueScenarios.all, LockDeadlockScenarios.all, MisuseScenarios.all,
  ].flatMap(\.self)

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
