// ImportCureTests.swift: the first cure for a file that must import both: one import for each name. The other is
// Tests/AliasCure.
import Dispatch
import Foundation
import SignalboxFoundation
import Testing

import class SignalboxFoundation.BlockOperation
import class SignalboxFoundation.DispatchGroup
import class SignalboxFoundation.DispatchQueue
import struct SignalboxFoundation.DispatchTime
import class SignalboxFoundation.NSLock
import class SignalboxFoundation.Operation
import class SignalboxFoundation.OperationQueue
import class SignalboxFoundation.Thread

@Suite("One import per name resolves ambiguous names") struct ImportCureTests {
  @Test("Names that are imported one by one are Signalbox's, beside both modules")
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
    #expect(group.wait(timeout: DispatchTime.now() + 60) == .success)
    let operations = OperationQueue()
    operations.addOperations([BlockOperation { lock.withLock { data.append(2) } }], waitUntilFinished: true)
    #expect(lock.withLock { data } == Data([1, 2]))
  }
}
