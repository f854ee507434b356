// AsyncReplyTests.swift: work on one queue, its result on another one.
import Signalbox
import SignalboxTestSupport
import Testing

private struct Wrong: Error, Equatable {}

@Suite("Items with a reply on another queue") struct AsyncReplyTests {
  private let reply = DispatchQueue(label: "reply")

  @Test("The result of the work arrives on the reply queue, the work was done elsewhere")
  func result() throws {
    let labels = SynchronizedArray<String?>(), reply = reply
    let value = try waitForCompletion(timeout: .seconds(Int(patience))) { completion in
      DispatchQueue.global(qos: .utility).async(replyOn: reply) { () -> Int in
        labels.append(DispatchQueue.currentLabel)
        return 42
      } then: { value in
        dispatchPrecondition(condition: .onQueue(reply))
        labels.append(DispatchQueue.currentLabel)
        completion(value)
      }
    }
    #expect(value == 42 && labels[1] == "reply" && labels[0] == DispatchQueue.global(qos: .utility).label)
  }

  @Test("A result for the main queue arrives there")
  func main() throws {
    let isMain = try waitForCompletion(timeout: .seconds(Int(patience))) { completion in
      DispatchQueue.global().async(replyOn: .main) {
        1
      } then: { _ in
        dispatchPrecondition(condition: .onQueue(.main))
        completion(DispatchQueue.currentLabel == DispatchQueue.main.label)
      }
    }
    #expect(isMain)
  }

  @Test("Work that fails hands over its error")
  func failure() throws {
    let reply = reply
    let results = try [false, true].map { fails in
      try waitForCompletion(timeout: .seconds(Int(patience))) {
        (completion: @escaping @Sendable (Result<Int, Wrong>) -> Void) in
        DispatchQueue.global().asyncCatching(replyOn: reply) { () throws(Wrong) in
          if fails { throw Wrong() }
          return 1
        } then: {
          completion($0)
        }
      }
    }
    #expect(results == [.success(1), .failure(Wrong())])
  }
}
