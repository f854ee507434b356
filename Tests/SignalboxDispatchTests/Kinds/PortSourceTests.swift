// PortSourceTests.swift: ports: messages that wait, receivers that are gone, ends in another process.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct PortSourceTests {
    @Test("The handler is called while messages wait, one by one")
    func receiving() throws {
      let (receive, send) = try SignalboxPort.makePair()
      let log = EventLog<[UInt8]>()
      let source = DispatchSource.makeMachReceiveSource(port: receive.name, queue: DispatchQueue(label: "ports"))
      #expect(source.handle == receive.name)
      source.setEventHandler { if case .message(let message)? = try? receive.receive() { log.add(message) } }
      try send.send([0])
      source.activate()
      for number in 1..<100 as Range<UInt8> { try send.send([number]) }
      #expect(eventually { log.all == (0..<100).map { [$0] } })
      source.cancelAndWait()
      try send.send([1])
      #expect(try receive.receive() == .message([1]), "nobody takes it any more")
    }

    @Test("The handler is called again as long as messages wait")
    func left() throws {
      let (receive, send) = try SignalboxPort.makePair()
      let calls = Count()
      let source = DispatchSource.makeMachReceiveSource(port: receive.name)
      source.setEventHandler { if calls.add() == 5 { _ = try? receive.receive() } }
      source.activate()
      try send.send([])
      #expect(eventually { calls.value >= 5 })
      source.passQueue()
      try passEventThread()
      source.passQueue()
      #expect(calls.value == 5)
      source.cancelAndWait()
    }

    @Test("Two sources of one port both see the message; with the last sender gone they are quiet")
    func shared() throws {
      var pair: (receive: SignalboxPort, send: SignalboxPort)? = try SignalboxPort.makePair()
      let receive = try #require(pair?.receive)
      let calls = [Count(), Count()]
      let sources = calls.map { count in
        let source = DispatchSource.makeMachReceiveSource(port: receive.name)
        source.setEventHandler { count.add() }
        source.activate()
        return source
      }
      try pair?.send.send([1])
      #expect(eventually { calls.allSatisfy { $0.value > 0 } })
      #expect(try receive.receive() == .message([1]))
      pair = nil
      for source in sources { source.passQueue() }
      try passEventThread()
      for source in sources { source.passQueue() }
      let seen = calls.map(\.value)
      try passEventThread()
      for source in sources { source.passQueue() }
      #expect(calls.map(\.value) == seen, "the end of the senders is no message")
      for source in sources { source.cancelAndWait() }
    }

    static func dead(_ port: mach_port_t, _ log: EventLog<DispatchSource.MachSendEvent>) -> any DispatchSourceMachSend {
      let source = DispatchSource.makeMachSendSource(port: port, eventMask: .dead, queue: DispatchQueue(label: "ports"))
      source.setEventHandler { log.add(source.data) }
      source.activate()
      return source
    }

    @Test("A send source is called once when the receiver is gone, whether it was activated before or after")
    func sending() throws {
      var pair: (receive: SignalboxPort, send: SignalboxPort)? = try SignalboxPort.makePair()
      let (send, log) = (try #require(pair?.send), EventLog<DispatchSource.MachSendEvent>())
      let early = Self.dead(send.name, log)
      #expect(early.mask == .dead && early.handle == send.name)
      try pair?.send.send([1])
      var second: SignalboxPort? = try pair?.receive.duplicate()
      pair = nil
      try passEventThread()
      early.passQueue()
      #expect(log.all.isEmpty, "\(second?.name ?? 0) still receives")
      second = nil
      #expect(eventually { log.take() == [.dead] })
      let late = Self.dead(send.name, log)
      #expect(eventually { log.all == [.dead] })
      #expect(try send.send([1]) == .receiverGone)
      for source in [early, late] { source.cancelAndWait() }
    }

    @Test("Messages from a child that inherited the sending end arrive, and the end of a receiving child is reported")
    func processes() throws {
      let (receive, send) = try SignalboxPort.makePair()
      var other: (receive: SignalboxPort, send: SignalboxPort)? = try SignalboxPort.makePair()
      let answers = try #require(other?.send)
      send.setInherited(true)
      other?.receive.setInherited(true)
      // A message of a port begins with a zero byte.
      let child = Child(["/bin/bash", "-c", Self.program(send.name)])
      send.setInherited(false)
      other = nil
      let (heard, dead) = (EventLog<[UInt8]>(), EventLog<DispatchSource.MachSendEvent>())
      let (first, second) = (DispatchSource.makeMachReceiveSource(port: receive.name), Self.dead(answers.name, dead))
      first.setEventHandler { if case .message(let message)? = try? receive.receive() { heard.add(message) } }
      first.activate()
      #expect(eventually { heard.all == [Array("hello".utf8)] })
      #expect(dead.all.isEmpty)
      child.reap()
      #expect(eventually { dead.all == [.dead] })
      for source in [first as any DispatchSourceProtocol, second] { source.cancelAndWait() }
    }

    private static func program(_ sending: mach_port_t) -> String { "printf '\\0hello' >&\(sending); read -r" }

    @Test("An end is adopted by its name; what is no end is not")
    func adopting() throws {
      let (receive, send) = try SignalboxPort.makePair()
      let copy = dup(Int32(send.name))
      let adopted = try #require(SignalboxPort(adopting: mach_port_t(copy), right: .send))
      #expect(try adopted.send([9]) == .sent)
      #expect(try receive.receive() == .message([9]))
      #expect(SignalboxPort(adopting: 987_654, right: .send) == nil)
      #expect(SignalboxPort(adopting: 0, right: .receive) == nil)
    }

    @Test("Without a descriptor the source is refused, said and cancelled")
    func refused() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        try! passEventThread()
        let (receive, _) = try! SignalboxPort.makePair()
        var used: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { used.append(descriptor) }
        let source = DispatchSource.makeMachReceiveSource(port: receive.name)
        let cancelled = Count()
        source.setCancelHandler { cancelled.add() }
        source.activate()
        #expect(eventually { cancelled.value == 1 })
        #expect(source.refusal?.reason == .failed(SystemError(call: "fcntl", code: EMFILE)))
        for descriptor in used { close(descriptor) }
      }
      expectReport(result, saying: "raise the limit of open files. The source is cancelled")
    }
  }
}
