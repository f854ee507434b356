// KindMisuseTests.swift: arguments that no source can be made from: nil for the C face, a message for the Swift face.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct KindMisuseTests {
    static func made(_ kind: ObjectKinds.Kind, _ handle: Int, _ mask: UInt) -> Bool {
      ObjectKinds.make(kind, handle: UInt(bitPattern: handle), mask: mask, queue: nil) != nil
    }

    @Test("A handle or a mask that a kind does not know makes nothing")
    func refused() throws {
      let event = try EventDescriptor()
      let wrong: [(ObjectKinds.Kind, Int, UInt)] = [
        (.process, 0, 0x8000_0000), (.process, -1, 0x8000_0000), (.process, Int(Int32.max) + 1, 0x8000_0000),
        (.process, 1, 1), (.process, 1, 0x1000_0000),
        (.fileSystemObject, -1, 1), (.fileSystemObject, 987_654, 1), (.fileSystemObject, Int(event.descriptor), 1),
        (.fileSystemObject, 0, 0x80), (.memoryPressure, 1, 1), (.memoryPressure, 0, 8),
        (.machSend, 0, 1), (.machSend, 987_654, 1), (.machReceive, -1, 0), (.machReceive, 0, 1),
      ]
      for (kind, handle, mask) in wrong { #expect(!Self.made(kind, handle, mask), "\(kind) \(handle) \(mask)") }
    }

    @Test("Handles and masks that a kind knows make a source, which keeps them")
    func accepted() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      let (receive, send) = try SignalboxPort.makePair()
      let right: [(ObjectKinds.Kind, UInt, UInt)] = [
        (.process, UInt(getpid()), 0xE800_0000), (.fileSystemObject, UInt(file), 0x17F), (.memoryPressure, 0, 7),
        (.machSend, UInt(send.name), 1), (.machReceive, UInt(receive.name), 0), (.process, 1, 0),
      ]
      for (kind, handle, mask) in right {
        let source = try #require(ObjectKinds.make(kind, handle: handle, mask: mask, queue: nil))
        #expect(source.core.handle == handle && source.core.mask == mask)
      }
    }

    @Test(
      "In Swift a handle or mask that a kind does not know stops the program with a message that says how to mend it",
      arguments: [
        Case("0, which no process can have as its identifier: give one greater than 0", 0),
        Case("a process source is made for events that it does not know (mask 0x3): give only those", 1),
        Case("descriptor 987654, which is not open: open it before, and close it in the cancel handler", 2),
        Case("987654, which is not the name of an open port: give the name of a SignalboxPort", 3),
        Case("sends, but has the right to receive only: use the other end of the pair", 4),
      ])
    func stopped(_ given: Case) async {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        [number = given.number as Int] in
        killOnHang()
        switch number {
        case 0: _ = DispatchSource.makeProcessSource(identifier: 0, eventMask: .exit)
        case 1: _ = DispatchSource.makeProcessSource(identifier: 1, eventMask: .init(rawValue: 3))
        case 2: _ = DispatchSource.makeFileSystemObjectSource(fileDescriptor: 987_654, eventMask: .write)
        case 3: _ = DispatchSource.makeMachReceiveSource(port: 987_654)
        default: try SignalboxPort.makePair().receive.send([1])
        }
      }
      expectStop(result, saying: given.message)
    }

    struct Case: Sendable, Codable {
      let message: String
      let number: Int
      init(_ message: String, _ number: Int) { (self.message, self.number) = (message, number) }
    }
  }
}
