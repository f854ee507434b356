// Misuse+Stop.swift: how a program is stopped for using Signalbox wrongly: the words at once, then where it happened
// and what is known of the object, which the diagnosis adds (MisuseEvidence.swift). What is printed is Misuse.swift.
public import SignalboxSystem
import SignalboxView
import SignalboxWords

extension Misuse {
  /// An object that was misused.
  public struct Subject: Sendable {
    package let kind: WaitKind
    package let address: UInt
    /// The word that names a lock's holder.
    package var word: OwnerWord? {
      [.unfairLock, .spinLock, .mutex, .errorCheckMutex, .recursiveMutex].contains(kind) ? OwnerWord(address, .lock) : nil
    }

    /// Creates the subject for the object of `kind` at `address`.
    public init(_ kind: WaitKind, _ address: UInt) { (self.kind, self.address) = (kind, address) }
  }

  /// Stops the program with SIGABRT, so that core dumps and crash handlers work. Before that, it writes a message and
  /// the calling thread's stack on standard error, and one JSON object to the files that SIGNALBOX_REPORT_JSON and
  /// SIGNALBOX_DEADLOCK_JSON name, and calls the report handlers.
  ///
  /// The message is written at once; finding the names of functions takes up to two and a half seconds, and handlers
  /// get two.
  ///
  /// - Parameters:
  ///   - message: what happened, to which object (by label), where, and how to fix it.
  ///   - subject: the object. The report says where it was created, entered, stopped or acquired, as far as that was recorded.
  @inline(never) public static func stop(_ message: @autoclosure () -> String, about subject: Subject? = nil) -> Never {
    if !Instruments.isForkedChild, MemoryReserve.open() == .none { stopShortly() }
    let message = message()
    say(message)
    // In the child of a fork other threads' locks may be held forever, the heap's among them.
    if Instruments.isForkedChild { abortNow() }
    Diagnosis.above?.tell(misuse: message, subject, stack: ThreadStack.own())
    abortNow()
  }

  /// Not even the message can be put together.
  private static func stopShortly() -> Never {
    StandardError.write(
      fixed: """
        signalbox: misuse: the program is stopped, and no memory is left to say for what: raise its limit (ulimit -v), or see a core \
        dump for where it stands

        """)
    abortNow()
  }
}
