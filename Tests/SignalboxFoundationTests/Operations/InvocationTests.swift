// InvocationTests.swift: operations that call a method: arguments, results, and why there may be none.
import Testing

@testable import SignalboxClasses

@Suite("Operations that call a method") struct InvocationTests {
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

  @Test("An invocation calls its target's action with the argument, and keeps the result")
  func result() throws {
    let player = Player()
    let operation = InvocationOperation(target: player, action: Player.play, object: "song")
    #expect(try operation.result == nil)
    operation.start()
    #expect(try operation.result as? Int == 4)
    #expect(player.log == ["song"])
  }

  @Test("An invocation's action may have no result, or throw")
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

  @Test("The result of an invocation cancelled before its run is an error")
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
