// OriginTests.swift: the comparison is worth nothing if both builds have the same classes; these tests tell them apart.
import Testing

extension Conformance {
  @Suite("Origin") struct Origin {
    @Test("The lock and operation classes belong to the library that this build names")
    func modules() {
      let module = subjectIsOurs ? "SignalboxClasses" : "Foundation"
      #expect(String(reflecting: NSLock.self) == "\(module).NSLock")
      #expect(String(reflecting: NSRecursiveLock.self) == "\(module).NSRecursiveLock")
      #expect(String(reflecting: NSCondition.self) == "\(module).NSCondition")
      #expect(String(reflecting: NSConditionLock.self) == "\(module).NSConditionLock")
      #expect(String(reflecting: Operation.self) == "\(module).Operation")
      #expect(String(reflecting: BlockOperation.self) == "\(module).BlockOperation")
      #expect(String(reflecting: OperationQueue.self) == "\(module).OperationQueue")
      #expect(String(reflecting: (any NSLocking).self).contains("Foundation.NSLocking"))
    }

    @Test("The names of Dispatch that come with them belong to the same library")
    func dispatch() {
      let module = subjectIsOurs ? "SignalboxDispatch" : "Dispatch"
      let types: [Any.Type] = [
        DispatchQueue.self, DispatchGroup.self, DispatchSemaphore.self, DispatchWorkItem.self, DispatchWorkItemFlags.self,
        DispatchObject.self, DispatchQoS.self, DispatchSpecificKey<Int>.self, DispatchTime.self, DispatchWallTime.self,
        DispatchTimeInterval.self, DispatchTimeoutResult.self, DispatchPredicate.self, DispatchQueue.Attributes.self,
      ]
      for type in types { #expect(String(reflecting: type).hasPrefix(module + "."), "\(type)") }
      let queue = DispatchQueue(label: "here", qos: .utility)
      queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
      #expect(DispatchTime.now() + .seconds(1) > DispatchTime.now())
      #expect(DispatchSemaphore(value: 0).wait(timeout: .now() + 0.001) == .timedOut)
    }
  }
}
