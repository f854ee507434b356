// MessageSocketTests.swift: messages stay apart, and either end learns that the other is gone.
import Glibc
import Testing

@testable import SignalboxSystem

@Suite("Message sockets") struct MessageSocketTests {
  @Test("Messages arrive whole and in order, empty ones too")
  func order() throws {
    let (receiving, sending) = try MessageSocket.pair()
    let messages: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 7, count: 100_000), [4]]
    #expect(try receiving.receive() == .empty)
    for message in messages { #expect(try sending.send(message) == .sent) }
    for message in messages { #expect(try receiving.receive() == .message(message)) }
    #expect(try receiving.receive() == .empty)
  }

  @Test("Sending never waits: a full connection refuses, and takes more after something was received")
  func full() throws {
    let (receiving, sending) = try MessageSocket.pair()
    var count = 0
    while try sending.send([UInt8](repeating: 1, count: 10_000)) == .sent { count += 1 }
    #expect(count > 0)
    while case .message = try receiving.receive() { count -= 1 }
    #expect(count == 0)
    #expect(try sending.send([1]) == .sent)
  }

  @Test("A message that is too large is refused, not cut")
  func large() throws {
    let (_, sending) = try MessageSocket.pair()
    #expect(throws: SystemError(call: "send", code: EMSGSIZE)) { try sending.send([UInt8](repeating: 1, count: 10_000_000)) }
  }

  @Test("A sender learns that the receiver is gone, without a signal")
  func receiverGone() throws {
    var pair: (receiving: MessageSocket, sending: MessageSocket)? = try MessageSocket.pair()
    let sending = try #require(pair?.sending)
    #expect(MessageSocket.state(of: sending.descriptor) == .quiet)
    pair = nil
    #expect(MessageSocket.state(of: sending.descriptor) == .cut)
    #expect(try sending.send([1]) == .receiverGone)
  }

  @Test("The receiver gets what was sent before the last sender went")
  func sendersGone() throws {
    var pair: (receiving: MessageSocket, sending: MessageSocket)? = try MessageSocket.pair()
    let receiving = try #require(pair?.receiving)
    var second = try pair?.sending.duplicate()
    #expect(try second?.send([5]) == .sent)
    pair = nil
    #expect(MessageSocket.state(of: receiving.descriptor) == .waiting)
    #expect(try receiving.receive() == .message([5]))
    #expect(try receiving.receive() == .empty)
    second = nil
    #expect(try receiving.receive() == .sendersGone)
    #expect(MessageSocket.state(of: receiving.descriptor) == .cut)
  }

  @Test("Descriptors of other kinds are no ports")
  func others() throws {
    let event = try EventDescriptor()
    #expect(MessageSocket.state(of: event.descriptor) == .notAPort)
    #expect(MessageSocket.state(of: 987_654) == .notAPort)
    let stream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(stream) }
    #expect(MessageSocket.state(of: stream) == .notAPort)
  }
}
