// Alarms.swift: timers and monitored descriptors that come and go without end, beside some that stay. Who reads the
// program finds the latter each time, and of the former what one of them may be.
import Glibc
import Signalbox

enum Alarms {
  static let queue = DispatchQueue(label: "alarms.queue", attributes: .concurrent)
  private static let stays = (0..<10).map { _ in source(.now() + 1000) }

  static func begin() -> Never {
    for timer in stays { timer.activate() }
    for _ in 0..<10 { queue.asyncAfter(deadline: .now() + 1000) { probeStays() } }
    let ends = pipe(), reader = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: queue)
    reader.setEventHandler {}
    reader.activate()
    queue.sync(flags: .barrier) {}
    let begun = DispatchSemaphore(value: 0)
    for body in [comeDue, areMoved] {
      thread {
        body()
        begun.signal()
        while true { body() }
      }
    }
    for _ in 0..<2 { begun.wait() }
    withExtendedLifetime(reader) { ready("\(ends.reading)") }
  }

  private static func source(_ deadline: DispatchTime) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: deadline)
    timer.setEventHandler {}
    return timer
  }

  private static func pipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0, "there is no pipe")
    return (ends[0], ends[1])
  }

  /// Some delays that end soon.
  @Sendable private static func comeDue() {
    let over = DispatchGroup()
    for number in 0..<20 {
      over.enter()
      queue.asyncAfter(deadline: .now() + .microseconds(50 * number)) { over.leave() }
    }
    over.wait()
  }

  /// Timers that are armed, moved and cancelled, and a descriptor that is monitored for a moment.
  @Sendable private static func areMoved() {
    for _ in 0..<20 {
      let timer = source(.now() + 2000)
      timer.activate()
      timer.schedule(deadline: .now() + 2000)
      timer.cancel()
    }
    let ends = pipe(), over = DispatchSemaphore(value: 0)
    let reader = DispatchSource.makeReadSource(fileDescriptor: ends.reading, queue: queue)
    reader.setEventHandler {}
    reader.setCancelHandler { over.signal() }
    reader.activate()
    reader.cancel()
    over.wait()
    close(ends.reading)
    close(ends.writing)
  }
}
