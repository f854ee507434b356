// PerfettoForm+Tasks.swift: Swift's tasks in Perfetto's form: a track for each task that runs beside others that began
// with its function: on it the task from its first part to its last, and inside of that its parts and the awaits
// between them, up to the moment in which the task goes on. The recording does not say when a task ends.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// What has to be known of tasks while a trace is written, which is in the order of time.
struct PerfettoTasks {
  /// When each task's parts begin, and by which chain of awaits.
  private var parts: [ReadNumber: [(time: ReadNumber, task: TimelineTask)]] = [:]
  /// When the last part of a task that is shown ended.
  fileprivate var ended: [ReadNumber: ReadNumber] = [:]
  /// Tasks whose await is shown; and whose part, by the item that runs it. A task may go on before the thread that ran
  /// it has come out of the item.
  fileprivate var awaiting: Set<ReadNumber> = [], running: [ReadNumber: UInt64] = [:]

  init(_ recording: RecordingFile) {
    for thread in recording.threads {
      for event in thread.events where event.kind == .taskRuns {
        let task = TimelineTask(event)
        if task.number != 0 { parts[task.number, default: []].append((event.time, task)) }
      }
    }
    for number in parts.keys { parts[number]?.sort { $0.time < $1.time } }
  }

  /// The part of the task that follows this one's beginning.
  func next(_ number: ReadNumber, after time: ReadNumber) -> TimelineTask? {
    guard let all = parts[number] else { return nil }
    var low = 0, high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].time > time { high = middle } else { low = middle + 1 }
    }
    return low < all.count ? all[low].task : nil
  }
}

extension PerfettoWriter {
  /// The track of an item's queue; of an actor's item that actor's.
  func lane(of item: TimelineItem, at time: ReadNumber) -> Lane {
    guard let task = item.task, task.number == 0 else {
      return Lane(address: item.queue, name: names.queue(item.queue, at: time))
    }
    return Lane(address: task.actor, name: names.actor(task))
  }

  /// A part of a task begins.
  mutating func beganPart(_ item: TimelineItem, _ name: String, on thread: Int, at time: ReadNumber) {
    guard let task = item.task, task.number != 0, let outer = names.chain(task).functions.last else { return }
    let user = LaneUser.task(task.number), track: UInt64
    if let ended = tasks.ended[task.number], let known = self.track(of: user) {
      track = known
      if tasks.running[task.number] != nil { event(Kind.end, track, at: time) }
      if tasks.awaiting.remove(task.number) != nil {
        let submitted = item.submitted.map { max(ended, $0.time) }
        event(Kind.end, track, at: time, nil, submitted.map { [.number("queued (ns)", time - $0)] } ?? [])
      }
    } else {
      track = takeLane(user, Lane(address: 0, name: "tasks: \(outer.name)"))
      var notes: [Note] = [.number("number", task.number)]
      if !task.name.isEmpty { notes.append(.text("name", task.name)) }
      if task.parent != 0 { notes.append(.number("child of task", task.parent)) }
      if let place = outer.place { notes.append(.text("place", place)) }
      event(Kind.begin, track, at: time, outer.name, category: "task", notes)
    }
    tasks.ended[task.number] = time
    tasks.running[task.number] = item.flow
    event(
      Kind.begin, track, at: time, name, category: "part",
      [.text("thread", names.thread(thread)), .text("awaits", names.chain(task).text)]
        + (task.isCancelled ? [.text("state", "cancelled")] : []))
  }

  /// A part has ended; with the last one the task is shown no more.
  mutating func endedPart(_ item: TimelineItem, began: ReadNumber, at time: ReadNumber) {
    guard let task = item.task, tasks.running[task.number] == item.flow, let track = track(of: .task(task.number)) else {
      return
    }
    tasks.running[task.number] = nil
    event(Kind.end, track, at: time)
    tasks.ended[task.number] = time
    guard let next = tasks.next(task.number, after: began) else { return leaveTask(task.number, at: time) }
    let chain = names.chain(next)
    event(
      Kind.begin, track, at: time, "await in \(chain.functions.first?.name ?? "a function")", category: "await",
      [.text("awaits", chain.text)])
    tasks.awaiting.insert(task.number)
  }

  /// Ends what is shown of tasks whose last part is not in the recording.
  mutating func endTasks(at time: ReadNumber) {
    for number in tasks.ended.keys.sorted() {
      if tasks.awaiting.contains(number) || tasks.running[number] != nil, let track = track(of: .task(number)) {
        event(Kind.end, track, at: time)
      }
      leaveTask(number, at: time)
    }
  }

  private mutating func leaveTask(_ number: ReadNumber, at time: ReadNumber) {
    leaveLane(.task(number), at: time)
    tasks.ended[number] = nil
    tasks.awaiting.remove(number)
    tasks.running[number] = nil
  }
}
