// BesideFoundationTests.swift: a file that imports both libraries whole means Signalbox's by every name that both have. Files
// that import one name after the other are ImportCureTests.swift; Scripts/check-imports knows all combinations.
import Dispatch
import Foundation
import SignalboxFoundation
import Testing

@Suite("Files that import Foundation and Signalbox use Signalbox's names") struct BesideFoundationTests {
  @Test("Names of both libraries mean Signalbox's; a module name in front selects the library")
  func names() {
    let types: [Any.Type] = [
      DispatchQueue.self, DispatchTime.self, NSLock.self, Operation.self, OperationQueue.self, Thread.self, Timer.self,
      RunLoop.self, SignalboxFoundation.Operation.self,
    ]
    for type in types { #expect(String(reflecting: type).hasPrefix("Signalbox"), "\(String(reflecting: type))") }
    #expect(Foundation.Operation.self != Operation.self && Dispatch.DispatchQueue.self != DispatchQueue.self)
  }

  @Test("Subclasses, extensions, operators and functions of Signalbox's types work beside Foundation's")
  func uses() {
    let (job, operations) = (Counted(), OperationQueue())
    operations.addOperations([job], waitUntilFinished: true)
    #expect(job.count == 1 && DispatchTime.now() + .milliseconds(1) > .now() - 1)
    dispatchPrecondition(condition: .notOnQueue(.global()))
    let forever: () -> Never = dispatchMain
    _ = forever
  }
}

private final class Counted: Operation, @unchecked Sendable {
  private(set) var count = 0
  override func main() { count += 1 }
}
