// TaskRegisters.swift: the times of tasks in a process, in seconds, from the registers of all copies of Signalbox in
// it. How one is read is TaskTimes.swift and TaskFunctionSums.swift (SignalboxView).
import SignalboxSystem
import SignalboxView

struct TaskRegisters {
  private struct Register {
    var times: TaskTimes?
    var sums: [TaskFunctionSum]
    var secondsPerTick: Double?
  }
  private let all: [Register], process: any ReadProcess

  init(_ process: any ReadProcess) {
    self.process = process
    let clocks = process.ticks.flatMap { ticks in process.now.map { (ticks: ticks, uptime: $0) } }
    all = DescribedCopy.find(in: process).copies.map { copy in
      Register(
        times: TaskTimes(copy.reading), sums: TaskFunctionSum.all(in: copy.reading),
        secondsPerTick: FiguresReader(copy.reading).secondsPerTick(now: clocks))
    }
  }

  /// The times of a task; nil: no copy has any.
  func times(of task: TaskView) -> Inspection.Task.Times? {
    for register in all {
      guard let times = register.times?.times(of: task) else { continue }
      // The clock behind the times: the process goes on, and none of them is after now.
      let spans = process.ticks.map { times.spans(task.state, at: $0) }
      func seconds(_ ticks: UInt64?) -> Double? {
        ticks.flatMap { ticks in register.secondsPerTick.map { Double(ticks) * $0 } }
      }
      return .init(
        parts: Int(times.parts), began: seconds(spans?.age), wentOn: seconds(spans?.wentOn), since: seconds(spans?.since),
        busy: seconds(spans?.busy), queued: seconds(spans?.queued))
    }
    return nil
  }

  /// The sums by function, most time first.
  func functions(_ place: (UInt64) -> Inspection.Place) -> [Inspection.TaskFunction] {
    all.flatMap { register -> [Inspection.TaskFunction] in
      register.sums.map { sum -> Inspection.TaskFunction in
        func seconds(_ ticks: UInt64) -> Double? { register.secondsPerTick.map { Double(ticks) * $0 } }
        return Inspection.TaskFunction(
          places: [sum.function, sum.inner].filter { $0 != 0 }.map(place), tasks: Int(clamping: sum.tasks),
          parts: Int(clamping: sum.parts), busy: seconds(sum.busy), queued: seconds(sum.queued),
          between: seconds(sum.between))
      }
    }.sorted { ($0.busy ?? 0, $0.parts) > ($1.busy ?? 0, $1.parts) }
  }
}
