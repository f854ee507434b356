// OneImportTests.swift: a file that imports the toolchain's modules alone, in a module that one file has moved (Imports.swift).
import Dispatch
import Foundation
import Testing

@Suite("A module whose files import only the toolchain's modules") struct OneImportTests {
  @Test("Names that both libraries have are Signalbox's")
  func names() {
    let types: [Any.Type] = [
      DispatchQueue.self, DispatchGroup.self, DispatchTime.self, NSLock.self, Operation.self, BlockOperation.self,
      OperationQueue.self, Thread.self,
    ]
    for type in types { #expect(String(reflecting: type).hasPrefix("Signalbox"), "\(String(reflecting: type))") }
  }

  @Test("Signalbox's names work together, and with Foundation's other names")
  func work() {
    let (queue, group, lock) = (DispatchQueue(label: "one"), DispatchGroup(), NSLock())
    nonisolated(unsafe) var data = Data()  // guarded by `lock`
    queue.async(group: group) { lock.withLock { data.append(1) } }
    #expect(group.wait(timeout: .now() + 120) == .success)
    let operations = OperationQueue()
    operations.addOperations([BlockOperation { lock.withLock { data.append(2) } }], waitUntilFinished: true)
    #expect(lock.withLock { data } == Data([1, 2]))
  }

  @Test("Operators and functions are Signalbox's too")
  func otherNames() {
    let (start, queue) = (DispatchTime.now(), DispatchQueue(label: "one"))
    #expect(start + 1.5 == start + .milliseconds(1500) && DispatchWallTime.now() - .seconds(1) < .now())
    queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    dispatchPrecondition(condition: .notOnQueue(.global()))
    let forever: () -> Never = dispatchMain
    _ = forever
  }
}
