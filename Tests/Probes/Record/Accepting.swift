// Accepting.swift: a source accepts connections, one after the other, on a queue that has nothing else.
import Glibc
import Signalbox

enum Accepting {
  private static let connections = 12

  /// As many rounds of twelve connections, each of which is answered with a byte before the next begins.
  static func run(_ rounds: Int) {
    let listener = check(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = check(withAddress(of: &place) { bind(listener, $0, $1) })
    _ = check(listen(listener, Int32(connections)))
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = check(
      withUnsafeMutableBytes(of: &place) {
        getsockname(listener, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
      })
    let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "probe.accept"))
    source.setEventHandler {
      let one = check(accept(listener, nil, nil))
      var byte: UInt8 = 1
      precondition(write(one, &byte, 1) == 1)
      close(one)
    }
    let isOver = DispatchSemaphore(value: 0)
    source.setCancelHandler { isOver.signal() }
    source.activate()
    for round in 0..<rounds {
      Recorder.mark("round", UInt64(round))
      for _ in 0..<connections { connectOnce(&place) }
    }
    source.cancel()
    isOver.wait()
    close(listener)
  }

  private static func connectOnce(_ place: inout sockaddr_in) {
    let one = check(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    _ = check(withAddress(of: &place) { connect(one, $0, $1) })
    var byte: UInt8 = 0
    precondition(read(one, &byte, 1) == 1)
    close(one)
  }

  private static func withAddress(of place: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  private static func check(_ result: Int32) -> Int32 {
    precondition(result >= 0, "error \(errno)")
    return result
  }
}
