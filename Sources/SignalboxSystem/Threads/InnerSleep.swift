// InnerSleep.swift: how a thread's sleep in the kernel can end: by its time, or from outside of the process, by a byte
// that comes or a child's end. Else only the process ends it. The system call it sleeps in is KernelCall.swift.
import Glibc

/// Sleep that only the process's own threads can end, or a signal.
public enum InnerSleep {
  /// Whether thread `id` of this process sleeps so: in a futex without limit, for signals, or for descriptors that are written by
  /// the process alone, no timer among them running. False also where the kernel does not tell.
  ///
  /// - Note: some short file reads. A word or a descriptor that is shared with another process cannot be told apart.
  public static func holds(_ id: Int32) -> Bool {
    guard let call = KernelCall(of: id), Place.own.isInner(call) else { return false }
    // The same call after its arguments were read.
    return KernelCall(of: id) == call
  }

  /// Whether a thread of another process sleeps so that sleeps in `call`, as its descriptors are at this moment.
  ///
  /// - Parameter word: of that process's memory.
  package static func holds(_ call: KernelCall, inProcess process: Int32, word: @escaping (UInt) -> UInt32?) -> Bool {
    Place(folder: "/proc/\(process)", word: word).isInner(call)
  }

  /// Whether thread `id` of this process sleeps in a futex of the process's own, without limit.
  public static func isInFutex(_ id: Int32) -> Bool {
    if let call = KernelCall(of: id), case .futex = Sleep(call) { true } else { false }
  }
}

/// A process whose descriptors and memory are read.
private struct Place {
  /// Where the kernel shows it.
  let folder: String
  let word: (UInt) -> UInt32?

  static var own: Place { Place(folder: "/proc/self") { SafeMemory.word32($0) } }

  func isInner(_ call: KernelCall) -> Bool {
    switch Sleep(call) {
    case .futex: true
    case .signals: true
    case .poll(let list, let count): areInner(list, count)
    case .epoll(let descriptor): isInner(descriptor, depth: 0)
    case nil: false
    }
  }

  // MARK: descriptors

  private static let mostDescriptors: UInt = 64

  /// Reads `struct pollfd`: eight bytes, of which the first four are the descriptor; negative ones are left out.
  private func areInner(_ list: UInt, _ count: UInt) -> Bool {
    guard count <= Self.mostDescriptors else { return false }
    return (0..<count).allSatisfy { index in
      guard let word = self.word(list + index * 8) else { return false }
      let descriptor = Int32(truncatingIfNeeded: word)
      return descriptor < 0 || isInner(descriptor, depth: 0)
    }
  }

  private func isInner(_ descriptor: Int32, depth: Int) -> Bool {
    switch kind(descriptor) {
    case "anon_inode:[eventfd]": true
    case "anon_inode:[timerfd]": facts(descriptor)?.contains { $0.hasPrefix("it_value: (0, 0)") } == true
    case "anon_inode:[eventpoll]":
      depth < 4 && watched(descriptor).map { $0.allSatisfy { isInner($0, depth: depth + 1) } } == true
    default: false
    }
  }

  /// What the kernel calls the open file.
  private func kind(_ descriptor: Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      let count = readlink("\(folder)/fd/\(descriptor)", buffer.start, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The descriptors that an epoll set monitors; nil if there are too many to list.
  private func watched(_ descriptor: Int32) -> [Int32]? {
    guard let lines = facts(descriptor) else { return nil }
    return lines.filter { $0.hasPrefix("tfd:") }.map { line in
      Int32(line.dropFirst(4).drop { $0 == " " }.prefix { $0.isNumber }) ?? -1
    }
  }

  private func facts(_ descriptor: Int32) -> [Substring]? {
    guard let bytes = KernelThread.contents("\(folder)/fdinfo/\(descriptor)"), bytes.count < 4096 else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}

/// The calls that end only by something that has no time, with what they wait for.
private enum Sleep {
  case futex, signals
  case poll(list: UInt, count: UInt)
  case epoll(Int32)

  // The numbers are the kernel's of each kind of processor.
  #if arch(x86_64)
  private static let pollCall = 7, ppoll = 271, epollWait = 232, epollPwait = 281, suspend = 130, pause = 34
  #else
  private static let pollCall = -1, ppoll = 73, epollWait = -1, epollPwait = 22, suspend = 133, pause = -1
  #endif
  private static let epollPwait2 = 441

  /// nil for calls that end by time, and for all others.
  init?(_ call: KernelCall) {
    let arguments = call.arguments
    let hasNoTime = Int32(truncatingIfNeeded: call.number == Self.pollCall ? arguments[2] : arguments[3]) < 0
    switch call.number {
    case ForeignMutex.Wait.futex where arguments[3] == 0 && Self.isPrivateWait(arguments[1]): self = .futex
    case Self.suspend, Self.pause: self = .signals
    case Self.pollCall where hasNoTime: self = .poll(list: arguments[0], count: arguments[1])
    case Self.ppoll where arguments[2] == 0: self = .poll(list: arguments[0], count: arguments[1])
    case Self.epollWait where hasNoTime, Self.epollPwait where hasNoTime, Self.epollPwait2 where arguments[3] == 0:
      self = .epoll(Int32(truncatingIfNeeded: arguments[0]))
    default: return nil
    }
  }

  /// FUTEX_WAIT, FUTEX_WAIT_BITSET and the locks with priority inheritance, on words that no other process has.
  private static func isPrivateWait(_ argument: UInt) -> Bool {
    let operation = UInt32(truncatingIfNeeded: argument)
    let isPrivate = operation & ForeignMutex.Wait.privateFlag != 0
    return isPrivate && [0, 6, 9, 13].contains(operation & 0x7F)
  }
}

// MARK: by its time

extension KernelCall {
  /// Whether the call ends by time at the latest, whatever others do: a sleep, or a wait with a limit.
  ///
  /// False also for calls that are not known here.
  public var endsByTime: Bool {
    switch number {
    case Timed.nanosleep, Timed.clockNanosleep: true
    // What the kernel goes on with after a signal: it does so with calls that have a limit only.
    case Timed.restart: true
    case ForeignMutex.Wait.futex: Timed.isWait(arguments[1]) && arguments[3] != 0
    case Timed.poll: hasTime(arguments[2])
    case Timed.epollWait, Timed.epollPwait: hasTime(arguments[3])
    case Timed.ppoll, Timed.sigtimedwait: arguments[2] != 0
    case Timed.epollPwait2, Timed.semtimedop: arguments[3] != 0
    case Timed.select, Timed.pselect, Timed.queueSend, Timed.queueReceive, Timed.getEvents, Timed.receiveMany: arguments[4] != 0
    default: false
    }
  }

  /// Milliseconds in an `int`, of which a negative number means no limit.
  private func hasTime(_ argument: UInt) -> Bool { Int32(truncatingIfNeeded: argument) >= 0 }

  /// The kernel's numbers, of each kind of processor; -1: it has none of this name.
  private enum Timed {
    #if arch(x86_64)
    static let nanosleep = 35, clockNanosleep = 230, restart = 219, poll = 7, ppoll = 271, select = 23, pselect = 270
    static let epollWait = 232, epollPwait = 281, sigtimedwait = 128, semtimedop = 220, queueSend = 242, queueReceive = 243
    static let getEvents = 208, receiveMany = 299
    #else
    static let nanosleep = 101, clockNanosleep = 115, restart = 128, poll = -1, ppoll = 73, select = -2, pselect = 72
    static let epollWait = -3, epollPwait = 22, sigtimedwait = 137, semtimedop = 192, queueSend = 182, queueReceive = 183
    static let getEvents = 4, receiveMany = 243
    #endif
    static let epollPwait2 = 441

    /// FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2: the others' fourth argument is no time.
    static func isWait(_ operation: UInt) -> Bool { [0, 6, 9, 11, 13].contains(operation & 0x7F) }
  }
}
