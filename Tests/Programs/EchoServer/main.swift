// main.swift: a TCP echo server on the toolchain's Dispatch: `ProgramEchoServer CONNECTIONS`. A read source accepts, a stream
// channel for each connection reads and writes. Prints its port, serves this many connections, and ends when they are closed. It
// knows nothing of Signalbox.
import Dispatch
import Glibc
import ProgramSupport

begin(patience: 300)

func listeningSocket() -> (Int32, UInt16) {
  let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let listener = socket(AF_INET, flags, 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isListening = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, size) == 0 && listen(listener, 4_096) == 0 && getsockname(listener, $0, &size) == 0
    }
  }
  guard isListening else { fatalError("no port to listen on") }
  return (listener, UInt16(bigEndian: address.sin_port))
}

/// One connection: what comes is written back, piece by piece; at its end the channel is closed and the descriptor with it.
final class Connection: Sendable {
  private let channel: DispatchIO
  private let queue: DispatchQueue
  private let group: DispatchGroup

  init(_ descriptor: Int32, _ target: DispatchQueue, _ group: DispatchGroup) {
    self.group = group
    group.enter()
    queue = DispatchQueue(label: "connection", target: target)
    channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in
      close(descriptor)
      group.leave()
    }
    channel.setLimit(lowWater: 1)
    channel.setLimit(highWater: 65_536)
  }

  func serve() {
    channel.read(offset: 0, length: Int.max, queue: queue) { [self] done, data, error in
      if let data, !data.isEmpty { write(data) }
      guard done else { return }
      if error != 0 { print("read failed:", error) }
      channel.close()
    }
  }

  private func write(_ data: DispatchData) {
    channel.write(offset: 0, data: data, queue: queue) { _, _, error in
      if error != 0 { print("write failed:", error) }
    }
  }
}

/// Accepts until it has this many connections.
final class Listener: @unchecked Sendable {
  // SAFETY of @unchecked: `left` and `connections` are used on `queue` only.
  private let queue = DispatchQueue(label: "listener")
  private let work = DispatchQueue(label: "connections", attributes: .concurrent)
  private let source: DispatchSourceRead
  private let group: DispatchGroup
  private let listener: Int32
  private var left: Int

  init(_ listener: Int32, _ count: Int, _ group: DispatchGroup) {
    (self.listener, left, self.group) = (listener, count, group)
    source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    group.enter()
    source.setEventHandler { [unowned self] in accept() }
    source.setCancelHandler {
      close(listener)
      group.leave()
    }
    source.activate()
  }

  private func accept() {
    while left > 0 {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor < 0 { return }
      _ = fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK)
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      left -= 1
      Connection(descriptor, work, group).serve()
    }
    source.cancel()
  }
}

guard CommandLine.arguments.count > 1, let count = Int(CommandLine.arguments[1]) else { exit(64) }
let before = Remains()
let (descriptor, port) = listeningSocket()
let group = DispatchGroup()
let listener = Listener(descriptor, count, group)
print("port \(port)")
group.wait()
withExtendedLifetime(listener) {}
print("\(count) connections served")
before.compareDescriptors("after they were closed", ofTheLibrary: 8)
