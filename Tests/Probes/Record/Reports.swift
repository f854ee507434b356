// Reports.swift: programs of which something is reported, or that crash, while they are recorded.
import Glibc
import Signalbox

enum Reports {
  /// Returns when this many reports were made; their handlers are called when copies are.
  private static func awaitReports(_ count: Int, _ body: () -> Void) {
    let told = DispatchSemaphore(value: 0)
    onReport { _ in told.signal() }
    body()
    for _ in 0..<count { told.wait() }
  }

  /// A thread of the program's own, which nobody waits for.
  private static func thread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var id = pthread_t()
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    let made = pthread_create(
      &id, nil,
      { raw in
        if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
        return nil
      }, box)
    precondition(made == 0, "no thread: error \(made)")
    pthread_detach(id)
  }

  /// Two threads that wait for each other's lock.
  private static func circle() {
    let first = MutexLock(), second = MutexLock(), both = DispatchGroup()
    for _ in 0..<2 { both.enter() }
    for isOther in [false, true] {
      thread {
        let (own, other) = isOther ? (second, first) : (first, second)
        own.withLock {
          both.leave()
          both.wait()
          other.withLock {}
        }
      }
    }
  }

  /// A deadlock that stops the program.
  static func deadlock() -> Never {
    Work.run(1)
    circle()
    while true { pause() }
  }

  /// This many deadlocks after which the program goes on.
  static func cycles(_ count: Int) {
    setenv("SIGNALBOX_DEADLOCK", "report", 1)
    awaitReports(count) {
      for _ in 0..<count {
        Work.run(1)
        circle()
      }
    }
  }

  /// A wait that nobody ends, after which the program goes on.
  static func stall() {
    setenv("SIGNALBOX_DEADLOCK", "report", 1)
    let never = DispatchSemaphore(value: 0)
    Work.run(1)
    awaitReports(1) {
      StallDetector.start(seconds: 0.2)
      thread { never.wait() }
    }
    StallDetector.stop()
    Work.run(1)
  }

  /// Two locks in two orders.
  static func order() {
    LockOrder.mode = .report
    let first = MutexLock(), second = MutexLock(), done = DispatchSemaphore(value: 0)
    awaitReports(1) {
      for isOther in [false, true] {
        thread {
          let (outer, inner) = isOther ? (second, first) : (first, second)
          outer.withLock { inner.withLock {} }
          done.signal()
        }
        done.wait()
      }
    }
  }

  /// An item of the main queue that lasts until it is reported.
  static func longItem() -> Never {
    MainQueue.reportItems(longerThan: .milliseconds(1))
    DispatchQueue.main.async {
      awaitReports(1) {}
      exit(0)
    }
    dispatchMain()
  }

  /// Dies of a signal.
  static func die(_ signal: Int32) -> Never {
    Work.run(1)
    Recorder.mark("last")
    if signal == SIGSEGV {
      UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    }
    kill(getpid(), signal)
    while true { pause() }
  }
}
