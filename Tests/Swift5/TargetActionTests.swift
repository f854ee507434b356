// TargetActionTests.swift: a moved class of the articles' kind, in Swift 5 mode, where the compiler must have nothing to warn of:
// methods in place of selectors, of a class that nobody has called safe to send.
import SignalboxFoundation
import XCTest

private class Loader: NSObject {
  var count = 0
  var thread: Thread?
  let over = DispatchSemaphore(value: 0)

  func begin() {
    let thread = Thread(target: self, action: Loader.run, object: nil)
    thread.start()
    self.thread = thread
  }
  func run() {
    perform(Loader.step, with: nil, afterDelay: 0.001)
    Timer.scheduledTimer(timeInterval: 0.001, target: self, action: Loader.tick, userInfo: nil, repeats: false)
    NotificationCenter.default.addObserver(self, action: Loader.hear, name: .loaded)
    while count < 3 { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    over.signal()
  }
  func step() {
    count += 1
    NotificationCenter.default.post(name: .loaded, object: self)
  }
  func tick(_ timer: Timer) { count += 1 }
  func hear(_ notification: Notification) { count += 1 }
}

extension Notification.Name {
  fileprivate static let loaded = Notification.Name("loaded")
}

final class TargetActionTests: XCTestCase {
  func testLoader() {
    let loader = Loader()
    loader.begin()
    XCTAssertEqual(loader.over.wait(timeout: .now() + 60), .success)
    XCTAssertEqual(loader.count, 3)
    Thread.detachNewThread(Loader.step, toTarget: loader, with: nil)
    let operation = InvocationOperation(target: loader, action: Loader.step, object: nil)
    operation.start()
    XCTAssertTrue(operation.isFinished)
  }
}
