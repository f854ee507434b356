// AliasCureTests.swift: a file that imports both libraries, in a module with aliases (Names.swift).
import Dispatch
import Foundation
import SignalboxFoundation
import Testing

@Suite struct AliasCureTests {
  @Test("Names that the module has aliases for are Signalbox's, beside both modules")
  func names() {
    let types: [Any.Type] = [
      DispatchQueue.self, DispatchGroup.self, DispatchTime.self, NSLock.self, Operation.self, BlockOperation.self,
      OperationQueue.self, Thread.self,
    ]
    for type in types { #expect(String(reflecting: type).hasPrefix("Signalbox"), "\(String(reflecting: type))") }
  }

  @Test("They work together, and with Foundation's other names")
  func work() {
    let (queue, group, lock) = (DispatchQueue(label: "one"), DispatchGroup(), NSLock())
    nonisolated(unsafe) var data = Data()  // guarded by `lock`
    queue.async(group: group) { lock.withLock { data.append(1) } }
    #expect(group.wait(timeout: DispatchTime.now() + 60) == .success)
    let operations = OperationQueue()
    operations.addOperations([BlockOperation { lock.withLock { data.append(2) } }], waitUntilFinished: true)
    #expect(lock.withLock { data } == Data([1, 2]))
  }
}
