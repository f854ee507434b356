// ThreadStack.swift: call stacks for reports: the caller's own, and another thread's. The quick way, by remembered rules, is
// StackCapture.swift; a thread that sleeps is SleepingStack.swift's.
import CSignalbox
import Glibc

/// Stacks of threads of this process, as return addresses from the innermost call outward; at most 128 of them.
///
/// Return addresses lie behind the call they belong to: what names a line uses the address minus one.
public enum ThreadStack {
  /// The calling thread's stack, beginning in the caller. Passes through code without frame pointers; where that cannot be
  /// had without a lock, the quick way serves.
  @inline(never) public static func own() -> [UInt] {
    var found = [UInt](repeating: 0, count: Int(SB_UNWIND_FRAMES))
    let count = Int(sb_unwind_self(&found, Int32(found.count)))
    // The first is this function.
    return count > 1 ? Array(found[1..<count]) : StackCapture.addresses(limit: found.count)
  }

  /// The stack of thread `id` of this process: of one that sleeps in the kernel as SleepingStack.swift says, without its help; of one
  /// that runs by the thread itself, in a signal handler.
  ///
  /// The signal is one that the program has given no meaning (its disposition is the default) and that the thread does not block:
  /// a real-time one, else SIGPROF, which threads of the pool leave open. The handler is there only during the call. Should the
  /// thread fall asleep before the signal comes, the call that it ends begins anew, by the kernel or by the handler, if it is one
  /// that has done nothing.
  ///
  /// - Parameter milliseconds: how long to wait for a thread that runs; it must get to run.
  /// - Returns: the stack, and why it is missing or ends early.
  /// - Note: Thread safety: any thread; one signal at a time, others wait for it a moment and then give up.
  public static func reading(_ id: Int32, milliseconds: Int32 = 100) -> StackReading {
    guard id != sb_gettid() else { return StackReading(addresses: own()) }
    guard sb_unwind_ready() != 0 else { return StackReading(gap: .tables) }
    if case .read(let found) = sleeping(id) { return found }
    return answer(of: id, milliseconds: milliseconds) ?? StackReading(gap: KernelThread.isAlive(id) ? .deaf : .gone)
  }

  /// The stack as the thread itself takes it in a signal handler; nil if it does not.
  static func answer(of id: Int32, milliseconds: Int32) -> StackReading? {
    guard enter(milliseconds: milliseconds) else { return nil }
    defer { word.storeRelease(0) }  // release: pairs with the acquire in `enter`; the room is the next one's
    // Once on this thread: what the unwinder sets up at its first use is not set up inside a signal handler.
    _ = own()
    guard let blocked = KernelThread.blockedSignals(UInt64(id)), let number = freeSignal(blocked) else { return nil }
    return addresses { sb_unwind_thread(id, number, milliseconds, $0, $1) }.map { StackReading(addresses: $0) }
  }

  /// The addresses of `reading`; nil if there are none.
  public static func capture(_ id: Int32, milliseconds: Int32 = 100) -> [UInt]? {
    let found = reading(id, milliseconds: milliseconds).addresses
    return found.isEmpty ? nil : found
  }

  /// The signals that might do, the least used first.
  private static func freeSignal(_ blocked: UInt64) -> Int32? {
    let candidates = (__libc_current_sigrtmin()...__libc_current_sigrtmax()).reversed() + [SIGPROF]
    return candidates.first { blocked >> UInt64($0 - 1) & 1 == 0 && sb_signal_is_free($0) != 0 }
  }

  private static func addresses(_ fill: (UnsafeMutablePointer<UInt>, Int32) -> Int32) -> [UInt]? {
    var result: Int32 = 0
    let found = [UInt](unsafeUninitializedCapacity: Int(SB_UNWIND_FRAMES)) { buffer, count in
      result = fill(buffer.start, Int32(buffer.count))
      count = max(0, Int(result))
    }
    return result > 0 ? found : nil
  }

  // There is one request's room. One try every millisecond: reports are rare, and two at a time rarer.
  private static let word = Atomic32(0)
  private static func enter(milliseconds: Int32) -> Bool {
    // acquire: pairs with the release that ends a capture.
    for _ in 0..<max(1, milliseconds) {
      if word.casAcquire(0, 1).exchanged { return true }
      usleep(1_000)
    }
    return false
  }
}
