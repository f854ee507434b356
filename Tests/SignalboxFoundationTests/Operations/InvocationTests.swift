// InvocationTests.swift: operations that call a method: arguments, results, and why there may be none.
import Testing

@testable import SignalboxClasses

@Suite struct InvocationTests {
  private final class Player {
    var log: [String] = []
    struct Broken: Error {}
    func play(_ song: String) -> Int {
      log.append(song)
      return song.count
    }
    func stop() { log.append("stop") }
    func fail() throws -> Int { throw Broken() }
  }

  @Test("Target, action and argument; the result is there afterwards")
  func result() throws {
    let player = Player()
    let operation = InvocationOperation(target: player, action: Player.play, object: "song")
    #expect(try operation.result == nil)
    operation.start()
    #expect(try operation.result as? Int == 4)
    #expect(player.log == ["song"])
  }

  @Test("An action without a result, and one that throws")
  func errors() {
    let player = Player()
    let stop = InvocationOperation(target: player, action: Player.stop)
    stop.start()
    #expect(throws: InvocationOperationError.void) { try stop.result }
    #expect(player.log == ["stop"])
    let fail = InvocationOperation(target: player, action: Player.fail)
    fail.start()
    #expect(fail.isFinished)
    #expect(throws: Player.Broken.self) { try fail.result }
  }

  @Test("Cancelled before it ran")
  func cancelled() {
    let player = Player()
    let operation = InvocationOperation(target: player, action: Player.play, object: "song")
    let queue = OperationQueue()
    queue.isSuspended = true
    queue.addOperation(operation)
    operation.cancel()
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(throws: InvocationOperationError.cancelled) { try operation.result }
    #expect(player.log.isEmpty)
  }
}
