// RemoteEvents.swift: what may come in a process: armed timers, monitored descriptors and other events. How each is
// read is SignalboxView's.
import SignalboxSystem
import SignalboxView

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
      guard let found = view.timers(of: clock, most: DescribedCopy.mostTimers) else {
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
