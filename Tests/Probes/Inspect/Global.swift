// Global.swift: items of global queues, which lie in the pool's lists and not in the queues.
import Signalbox

enum Global {
  /// With SIGNALBOX_MAX_THREADS=2: two items of a global queue keep both workers, behind them lie the turn of another
  /// queue and 300 items; in another class's lie two.
  static func full() -> Never {
    let begun = DispatchSemaphore(value: 0), never = DispatchSemaphore(value: 0), group = DispatchGroup()
    let queue = DispatchQueue.global(), wide = DispatchQueue(label: "global.wide", attributes: .concurrent)
    for _ in 0..<2 {
      queue.async {
        begun.signal()
        never.wait()
      }
    }
    for _ in 0..<2 { begun.wait() }
    wide.async {}
    queue.async(group: group) {}
    queue.async(execute: DispatchWorkItem {})
    for _ in 0..<298 { queue.async {} }
    for _ in 0..<2 { DispatchQueue.global(qos: .utility).async {} }
    withExtendedLifetime((never, wide)) { ready() }
  }

  /// Items that submit themselves again, without end: always a hundred, for the most part in rings.
  static func flood() -> Never {
    let begun = DispatchSemaphore(value: 0)
    for _ in 0..<100 { again() }
    DispatchQueue.global().async { begun.signal() }
    begun.wait()
    ready()
  }

  @Sendable private static func again() { DispatchQueue.global().async { again() } }
}
