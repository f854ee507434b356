// DescriptionTests.swift: what `print` shows of Foundation's classes that are ours: class, address, name, state.
import Glibc
import SignalboxFoundation
import SignalboxSystem
import Testing

@Suite("Descriptions of Foundation's classes") struct ClassDescriptionTests {
  /// The text with the object's own address as `@`.
  private func shown(_ object: NSObject) -> String {
    #expect(object.debugDescription == object.description)
    let address = "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
    return object.description.replacing(address, with: "@")
  }

  @Test("A lock's description has its name and its holder")
  func locks() {
    let lock = NSLock()
    #expect(shown(lock) == "<NSLock: @>{free}")
    lock.name = "accounts"
    lock.withLock { #expect(shown(lock) == "<NSLock: @>{name = \"accounts\", held by thread \(ThreadSlot.kernelID())}") }
    #expect(shown(NSRecursiveLock()) == "<NSRecursiveLock: @>{free}")
    #expect(shown(NSCondition()) == "<NSCondition: @>{free}")
    #expect(shown(NSConditionLock(condition: 3)) == "<NSConditionLock: @>{condition 3, free}")
  }

  @Test("The descriptions of operations and their queues have names and states")
  func operations() {
    let queue = OperationQueue(), first = BlockOperation {}, second = BlockOperation {}
    queue.name = "images"
    first.name = "resize"
    second.addDependency(first)
    #expect(shown(first) == "<BlockOperation: @>{name = \"resize\", ready}")
    #expect(shown(second) == "<BlockOperation: @>{waits for others}")
    queue.isSuspended = true
    queue.addOperations([first, second], waitUntilFinished: false)
    #expect(shown(first) == "<BlockOperation: @>{name = \"resize\", queued}")
    #expect(shown(queue) == "<OperationQueue: @>{name = \"images\", 2 operations, suspended}")
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(shown(second) == "<BlockOperation: @>{finished}")
    #expect(shown(queue) == "<OperationQueue: @>{name = \"images\", 0 operations}")
    second.cancel()
  }

  @Test("Threads and run loops show their addresses, not their hashes")
  func addresses() {
    #expect(shown(Thread.current).hasPrefix("<Thread: @>{number = "))
    #expect(shown(RunLoop.current).hasPrefix("<RunLoop: @>{"))
  }
}
