// OperationFirstThingTests.swift: operations are known to the diagnosis before the first of them is made: each case is a process of its own,
// whose first use of Signalbox is the one that it names.
import Glibc
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxClasses
@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The first operation of a process") struct OperationFirstThingTests {
  private static func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

  @Test("An operation has its name in reports, and the text that print shows")
  func operation() async {
    await #expect(processExitsWith: .success) {
      let job = Job("first"), address = OperationFirstThingTests.address(job)
      #expect(ObjectNaming.name(.operation, address).hasPrefix("operation \"first\""))
      #expect(ObjectNaming.description(.operation, address).contains("name = \"first\""))
      exit(0)
    }
  }

  @Test("So has an operation queue")
  func queue() async {
    await #expect(processExitsWith: .success) {
      let queue = OperationQueue()
      queue.name = "desk"
      #expect(ObjectNaming.name(.operationQueue, OperationFirstThingTests.address(queue)).contains("\"desk\""))
      exit(0)
    }
  }

  @Test("The word of an operation that was started by hand names the thread that is in its main()")
  func runner() async {
    await #expect(processExitsWith: .success) {
      let seen = Atomic64(0)
      withUnsafePointer(to: seen) { seen in
        // SAFETY: the operation ends before this returns.
        let place = UInt(bitPattern: seen)
        final class Asking: Operation, @unchecked Sendable {
          // SAFETY of @unchecked: written before it is started, by the one thread of the test.
          var place: UInt = 0
          override func main() {
            let word = OwnerWord(OperationFirstThingTests.address(self), .operation)
            let owner = OwnerReader().read(word).owner
            UnsafePointer<Atomic64>(bitPattern: place)?.pointee.storeRelease(owner == ThreadSlot.owner() ? 1 : 2)
          }
        }
        // Waits alone name an operation by its word: the first says where that lies.
        let operation = Asking()
        OperationWaits.begin(for: operation)
        OperationWaits.end()
        operation.place = place
        operation.start()
        #expect(seen.pointee.loadAcquire() == 1)
      }
      exit(0)
    }
  }
}
