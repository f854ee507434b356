// ProcessConnector.swift: the kernel's news of forks, execs and ends of all processes (netlink). What one process does is chosen
// above; its end is reported by ProcessDescriptor.swift.
import CSignalbox
import Glibc

/// One piece of news.
public enum ProcessNotice: Equatable, Sendable {
  /// `parent` has made the process `child`.
  case forked(parent: Int32, child: Int32)
  /// The process runs another program.
  case executed(Int32)
  /// A thread of the process has ended; whether the process has is known from its descriptor.
  case ended(Int32)
  /// There was no room for some news.
  case lost
}

/// A subscription to the news of all processes.
///
/// Linux grants it in the first process and user namespaces only; before Linux 6.6 also only with CAP_NET_ADMIN. Thread safety:
/// any thread may read; each piece of news goes to one reader. Closes on exec and with the object.
public final class ProcessConnector: Sendable {
  /// Why there is no news of forks and execs here.
  public enum Refusal: Error, Equatable, Sendable {
    /// The capability CAP_NET_ADMIN is needed.
    case needsNetworkAdministration
    /// The program runs in a process or user namespace of its own, as in a container; the kernel tells the first ones only.
    case insideNamespace
    /// The kernel was built without it (CONFIG_PROC_EVENTS), or a filter keeps it away.
    case absent(SystemError)
    /// No descriptor, no memory.
    case failed(SystemError)
  }

  /// For a poller: readable while news wait.
  public let descriptor: Int32

  /// Subscribes. News of what happens after this are not missed, unless they say so.
  public init() throws(Refusal) {
    guard Self.isInFirstNamespaces else { throw .insideNamespace }
    let descriptor = sb_process_connector()
    guard descriptor >= 0 else { throw Self.refusal("socket", -descriptor) }
    self.descriptor = descriptor
    // Thrown from here on, the object goes, and closes the descriptor.
    let bound = sb_process_connector_bind(descriptor)
    guard bound >= 0 else { throw Self.refusal("bind", -bound) }
    let asked = ask(.listen)
    guard asked >= 0 else { throw Self.refusal("send", Int32(-asked)) }
    try takeAnswer()
  }

  deinit {
    _ = ask(.ignore)  // older kernels count listeners, and go on telling nobody
    close(descriptor)
  }

  private enum Order: UInt32 { case listen = 1, ignore = 2 }

  private func ask(_ order: Order) -> Int64 {
    let bytes = ProcessMessage.request(order.rawValue)
    return bytes.withUnsafeBytes { sb_message_send(descriptor, $0.start, $0.count) }
  }

  /// The kernel answers while it is asked: the answer is there, perhaps behind news for other listeners.
  private func takeAnswer() throws(Refusal) {
    var answer: UInt32?
    while answer == nil, let message = receive() {
      if case .answer(let code) = message { answer = code }
    }
    switch answer {
    case 0?: return
    case nil: throw .absent(SystemError(call: "read", code: EAGAIN))
    case let code?: throw Self.refusal("send", Int32(bitPattern: code))
    }
  }

  /// Takes what waits; `body` may be called with `.lost` in between.
  public func read(_ body: (ProcessNotice) -> Void) {
    while let message = receive() {
      if case .notice(let notice) = message { body(notice) }
    }
  }

  private enum Received {
    case notice(ProcessNotice)
    case answer(UInt32)
    case other
  }

  /// The next message, or nil when none waits.
  private func receive() -> Received? {
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
      var sender: UInt32 = 0
      while true {
        let count = sb_netlink_receive(descriptor, buffer.start, buffer.count, &sender)
        switch Int32(-count) {
        case ...0: break
        case EINTR: continue
        case ENOBUFS: return .notice(.lost)
        default: return nil  // EAGAIN: none waits. Others cannot be mended by asking again.
        }
        guard sender == 0 else { return .other }  // not from the kernel: anybody may send to the group
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<min(Int(count), buffer.count)])
        if let code = ProcessMessage.answer(bytes) { return .answer(code) }
        return ProcessMessage.notice(bytes).map { .notice($0) } ?? .other
      }
    }
  }

  private static func refusal(_ call: String, _ code: Int32) -> Refusal {
    let error = SystemError(call: call, code: code)
    switch code {
    case EPERM, EACCES: return .needsNetworkAdministration
    case EPROTONOSUPPORT, EAFNOSUPPORT, ENOSYS, ENOENT, ECONNREFUSED: return .absent(error)
    default: return .failed(error)
    }
  }

  /// The kernel's own numbers of the first namespaces; elsewhere it does not even answer.
  private static var isInFirstNamespaces: Bool {
    func number(_ path: RawString) -> String {
      (try? Files.readLink(path)).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    }
    return number("/proc/self/ns/pid") == "pid:[4026531836]" && number("/proc/self/ns/user") == "user:[4026531837]"
  }
}

/// The bytes of the subscription: pure. A netlink header (16 bytes), a connector's (20), then the order or the event.
enum ProcessMessage {
  private static let body = 36
  private static let index: UInt32 = 1  // CN_IDX_PROC, and CN_VAL_PROC alike

  static func request(_ order: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    func add<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value) { bytes += $0 } }
    add(UInt32(body + 4))
    add(UInt16(3))  // NLMSG_DONE: a single message
    for _ in 0..<5 { add(UInt16(0)) }  // flags, sequence, sender
    add(index)
    add(index)
    add(UInt32(0))
    add(UInt32(0))
    add(UInt16(4))
    add(UInt16(0))
    add(order)
    return bytes
  }

  /// What an event says; nil for kinds that nobody here wants, and for what is cut short.
  static func notice(_ bytes: UnsafeRawBufferPointer) -> ProcessNotice? {
    guard bytes.count >= body + 32, word(bytes, 16) == index else { return nil }
    func number(_ place: Int) -> Int32 { Int32(bitPattern: word(bytes, body + 16 + 4 * place)) }
    switch word(bytes, body) {
    case 0x0000_0001: return number(2) == number(3) ? .forked(parent: number(1), child: number(3)) : nil  // else a thread
    case 0x0000_0002: return .executed(number(1))
    case 0x8000_0000: return .ended(number(1))
    default: return nil
    }
  }

  /// The error code in the kernel's answer to a request; nil if it is not one.
  static func answer(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= body + 20, word(bytes, 16) == index, word(bytes, body) == 0 else { return nil }
    return word(bytes, body + 16)
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}
