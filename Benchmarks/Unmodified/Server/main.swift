// main.swift: a server of HTTP/1.1 as programs write one: sockets and sources of the toolchain's Dispatch, a task for
// each connection, an actor, a task group, and a pool of eight leases. It knows nothing of Signalbox:
// Scripts/measure-server runs it on both libraries. How a request is answered is Answering.swift, a client's connection
// Connection.swift.
//
//   BenchServer   says "port NUMBER", and serves on that port of this machine until its standard input ends
import Dispatch
import Glibc

/// Begins to listen on a port of the loopback interface that is free; nil if there is none.
func listening() -> (descriptor: Int32, port: UInt16)? {
  let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let descriptor = socket(AF_INET, kind, 0)
  var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // 127.0.0.1
  let isListening = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, size) == 0 && listen(descriptor, 1_024) == 0 && getsockname(descriptor, $0, &size) == 0
    }
  }
  return isListening ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
}

/// Accepts all that connect, each with a task of its own.
func serve(_ listener: Int32, _ answering: Answering) {
  let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "listener"))
  source.setEventHandler {
    while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
      // A byte that was taken already must not keep a thread.
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      Task.detached { await Connection(descriptor).serve { await answering.answer($0) } }
    }
  }
  // It lives as long as the process.
  source.setCancelHandler { _ = source }
  source.activate()
}

guard let (listener, port) = listening() else {
  print("no port is free")
  exit(1)
}
serve(listener, Answering(leases: 8))
print("port \(port)")
fflush(nil)
while readLine() != nil {}
exit(0)
