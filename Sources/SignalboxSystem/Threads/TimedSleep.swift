// TimedSleep.swift: whether a thread's sleep in the kernel ends by its time. Sleep that only the process ends is InnerSleep.swift.

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
