// PageTasks.swift: Swift's tasks as the timeline's page gets them: of each one bar from its first part to its last, and
// below that its parts and the awaits between them. A recording does not say when a task ends, so its bar ends with its
// last part.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

struct PageTasks {
  /// What a bar stands for.
  enum Kind: UInt64 {
    case task = 0
    /// A part of it between two awaits, by an item.
    case part
    /// The time from the end of a part to the submission of the next.
    case await
  }

  /// A bar of a task's lane.
  struct Bar {
    let kind: Kind
    let begin: ReadNumber
    var end: ReadNumber
    /// The function with which a task began, a part goes on, an await waited.
    let function: UInt32
    /// Of a part the thread. Of a task its name in the notes and one; 0: it has none.
    let other: UInt32
    /// The task's number.
    let number: ReadNumber
    /// Its lane.
    let lane: UInt32
  }

  private(set) var bars: [Bar] = []
  /// Lanes: one for the tasks that began with one function.
  private(set) var lanes = PageData.Texts<String>()
  private var known: [ReadNumber: Known] = [:]

  private struct Known {
    /// Its bar, that of the part that runs or ran last, and that part's item.
    let bar: Int
    var part: Int, item: UInt64
  }

  /// A part of a task begins.
  ///
  /// - Parameters:
  ///   - item: the item's number.
  ///   - inner: the function by which it goes on.
  ///   - outer: the function with which the task began, and what that is called.
  ///   - submitted: when the part was submitted; nil: not known.
  mutating func began(
    _ task: TimelineTask, of item: UInt64, inner: UInt32, outer: (number: UInt32, name: String), name: UInt32,
    submitted: ReadNumber?,
    at begin: ReadNumber, on thread: UInt32
  ) {
    let lane = lanes.number(outer.name)
    func bar(_ kind: Kind, _ begin: ReadNumber, _ end: ReadNumber, _ function: UInt32, _ other: UInt32) -> Bar {
      Bar(kind: kind, begin: begin, end: end, function: function, other: other, number: task.number, lane: lane)
    }
    if let known = known[task.number] {
      // It may go on before the thread that ran it has come out of the item.
      if known.item != 0 { bars[known.part].end = begin }
      let ended = bars[known.part].end
      if let submitted, submitted > ended { bars.append(bar(.await, ended, submitted, inner, 0)) }
    } else {
      known[task.number] = Known(bar: bars.count, part: 0, item: 0)
      bars.append(bar(.task, begin, begin, outer.number, name))
    }
    known[task.number]?.part = bars.count
    known[task.number]?.item = item
    bars.append(bar(.part, begin, begin, inner, thread))
  }

  /// The part of the task that runs has ended.
  mutating func ended(_ task: TimelineTask, of item: UInt64, at end: ReadNumber) {
    guard let known = known[task.number], known.item == item else { return }
    self.known[task.number]?.item = 0
    for place in [known.bar, known.part] { bars[place].end = max(bars[place].begin, end) }
  }

  /// In the order in which they begin, a task before its parts.
  mutating func finish() {
    bars = bars.indices.sorted { (bars[$0].begin, bars[$0].kind.rawValue, $0) < (bars[$1].begin, bars[$1].kind.rawValue, $1) }
      .map { bars[$0] }
  }

  /// Of each bar its beginning, as the difference to that of the bar before, its length, its kind, its function and the
  /// task's number; of a task its lane and name besides, of a part its thread.
  var column: PageColumn {
    var column = PageColumn(), before: ReadNumber = 0
    for bar in bars {
      column.append(bar.begin - before)
      before = bar.begin
      column.append(bar.end - bar.begin)
      column.append(bar.kind.rawValue)
      column.append(bar.function)
      column.append(bar.number)
      if bar.kind == .task { column.append(bar.lane) }
      if bar.kind != .await { column.append(bar.other) }
    }
    return column
  }
}
