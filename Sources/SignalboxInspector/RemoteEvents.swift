// RemoteEvents.swift: what may come in a process that is read from outside: armed timers, monitored descriptors and other events. How each
// is read is SignalboxView's; the form of an answer is RemoteAnswer.swift.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxView

/// The time that each clock shows.
struct ReadTimes: Sendable {
  var uptime: UInt64, continuous: UInt64, wall: UInt64

  static var present: ReadTimes { ReadTimes(uptime: Clock.uptime(), continuous: Clock.continuous(), wall: Clock.wall()) }

  func time(on clock: TimerClock) -> UInt64 {
    switch clock {
    case .uptime: uptime
    case .continuous: continuous
    case .wall: wall
    }
  }
}

/// Timers, descriptors and other events of one copy of Signalbox.
struct RemoteEvents {
  /// A timer, and the seconds until its deadline, below 0 if it is late; nil: not known.
  typealias Timer = (timer: ArmedTimer, due: Double?)
  /// How many are armed; nil: not known.
  private(set) var count: UInt64?
  /// The soonest.
  private(set) var timers: [Timer] = []
  private(set) var descriptors: [WatchedDescriptor] = []
  /// How many signals, processes and files are monitored; nil: not known.
  private(set) var others: UInt64?
  /// What could not be read, in words, and how many pieces of memory make no sense if they stand still.
  private(set) var unread: [String] = []
  private(set) var lost = 0
  /// What the version of Signalbox does not say of itself, in words.
  private(set) var lacking: [String] = []

  /// How many armed timers are shown of each clock.
  private static let mostTimers = 1_000
  private let standsStill: Bool

  init(_ copy: DescribedCopy, _ process: any ReadProcess) {
    standsStill = process.source == "core"
    guard copy[.queueState] != 0 else { return }  // nothing was made yet
    if let view = TimersView(copy.reading, items: copy.items) { read(view, process) } else { lacking.append("timers") }
    if let view = DescriptorsView(copy.reading) { read(view) } else { lacking.append("monitored descriptors") }
    readOthers(copy)
  }

  private mutating func read(_ view: TimersView, _ process: any ReadProcess) {
    var all: UInt64 = 0, isMissing = false, isTorn = false
    for clock in TimerClock.allCases {
      guard let found = view.timers(of: clock, most: Self.mostTimers) else {
        isMissing = true
        continue
      }
      all += found.count  // each is limited
      isTorn = isTorn || !found.isWhole && (standsStill || found.armed.isEmpty)
      let now = process.times?.time(on: clock)
      timers += found.armed.map { timer in (timer, now.map { Self.seconds(from: $0, to: timer.deadline) }) }
    }
    if !isMissing { count = all }
    if isMissing || isTorn { miss("timers", "which change while they are read", "whose lists are damaged") }
    // Without the clocks' times those of each clock stay together.
    if timers.allSatisfy({ $0.due != nil }) { timers.sort { ($0.due ?? 0) < ($1.due ?? 0) } }
  }

  private mutating func read(_ view: DescriptorsView) {
    guard let found = view.read() else {
      return miss("the descriptors that are monitored", "whose list changes while it is read", "whose list is damaged")
    }
    descriptors = found.all
    if found.unread > 0 {
      let some = "\(found.unread) descriptor\(found.unread == 1 ? "" : "s")"
      miss("what \(some) may be monitored for", "which changes while it is read", "which is damaged", found.unread)
    }
  }

  private mutating func readOthers(_ copy: DescribedCopy) {
    guard copy[.wordCount] != 0 else { return lacking.append("other events") }
    guard copy[.otherEvents] != 0 else { return others = 0 }
    others = copy.memory.word64(copy[.otherEvents]).flatMap { $0 < 1 << 32 ? $0.bits : nil }
    if others == nil { miss("other events that are monitored", "whose number is not there", "whose number is damaged") }
  }

  private mutating func miss(_ what: String, _ moving: String, _ damaged: String, _ pieces: Int = 1) {
    unread.append("\(what), \(standsStill ? damaged : moving)")
    lost += pieces
  }

  private static func seconds(from now: UInt64, to point: UInt64) -> Double {
    point < now ? -Double(now - point) / 1e9 : Double(point - now) / 1e9
  }
}

// MARK: the answer

extension RemoteEvents {
  /// The fields of the answer; `place` writes a place in the program.
  func fields(_ place: (ReadNumber) -> JSON) -> [(name: String, value: JSON)] {
    var fields: [(name: String, value: JSON)] = []
    if let count { fields.append(("timers", .number(Double(count)))) }
    fields.append(("armed", .array(timers.map { Self.json($0, place) })))
    fields.append(("monitored", .array(descriptors.map { Self.json($0) })))
    if let others { fields.append(("events", .number(Double(others)))) }
    return fields
  }

  private static func json(_ timer: Timer, _ place: (ReadNumber) -> JSON) -> JSON {
    var members: [(name: String, value: JSON)] = [("kind", .string(kind(of: timer.timer.task)))]
    if let due = timer.due { members.append(("due", .number(due))) }
    if timer.timer.queue != 0 { members.append(("queue", .string(ReadNumber(timer.timer.queue).hexadecimal))) }
    if case .item(let item?) = timer.timer.task {
      members.append(("function", .array(item.places.map { place(ReadNumber(UInt64($0))) })))
    }
    return .object(members)
  }

  private static func kind(of task: ArmedTimer.Task) -> String {
    switch task {
    case .source: "timer source"
    case .item: "asyncAfter"
    case .unknown: "timer"
    }
  }

  private static func json(_ descriptor: WatchedDescriptor) -> JSON {
    var members: [(name: String, value: JSON)] = [
      ("descriptor", .number(Double(descriptor.number))), ("for", .string(descriptor.isWritable ? "writable" : "readable")),
    ]
    if !descriptor.label.isEmpty { members.append(("label", .string(descriptor.label))) }
    return .object(members)
  }
}
