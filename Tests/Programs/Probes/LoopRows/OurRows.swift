// OurRows.swift: the rows of Signalbox's own classes. Foundation's are TheirRows.swift.
import Glibc
import SignalboxFoundation

enum OurRows {
  typealias Done = @Sendable () -> Void

  static func begin(_ row: Row, _ done: @escaping Done) {
    let loop = RunLoop.current
    let thread = Thread.current
    switch row {
    case .ourTimer: Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in done() }
    case .ourBlock: soon { loop.perform(done) }
    case .ourInput: input(done)
    case .ourDelayed: Target(done).perform(Target.call, with: nil, afterDelay: 0.02)
    case .ourPerform: soon { try? thread.perform(waitUntilDone: true, done) }
    case .ourIdleNotice, .ourSoonNotice: notice(row == .ourIdleNotice ? .whenIdle : .asap, done)
    case .ourMainPerform: soon { Target(done).performOnMainThread(Target.call, with: nil, waitUntilDone: true) }
    case .ourMainQueue: soon { DispatchQueue.main.async(execute: done) }
    case .ourMainTurns: Turns(done).begin()
    case .ourMainOperation: soon { OperationQueue.main.addOperation(done) }
    case .ourMainObserver: observer(done)
    default: say("\(row.rawValue) is no row of ours")
    }
  }

  private final class Target: NSObject, @unchecked Sendable {
    private let done: Done
    init(_ done: @escaping Done) { self.done = done }
    func call(_ argument: Any?) { done() }
  }

  /// On another thread, when the loop sleeps, mostly.
  private static func soon(_ body: @escaping Done) {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.02)
      body()
    }
  }

  private static func input(_ done: @escaping Done) {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let (from, to) = (ends[0], ends[1])
    let input = RunLoopInput(descriptor: from, for: .readable) {
      var byte: UInt8 = 0
      if read(from, &byte, 1) == 1, byte == 7 { done() }
    }
    RunLoop.current.add(input, forMode: .default)
    Kept.keep(input)
    soon {
      var byte: UInt8 = 7
      write(to, &byte, 1)
    }
  }

  private static func notice(_ style: NotificationQueue.PostingStyle, _ done: @escaping Done) {
    let name = Notification.Name("row")
    Kept.keep(NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in done() })
    NotificationQueue.default.enqueue(Notification(name: name), postingStyle: style)
  }

  private static func observer(_ done: @escaping Done) {
    let name = Notification.Name("row")
    Kept.keep(NotificationCenter.default.addObserver(forName: name, object: nil, queue: OperationQueue.main) { _ in done() })
    soon { NotificationCenter.default.post(name: name, object: nil) }
  }
}
