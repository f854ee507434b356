// Row.swift: what a thread may wait for, a row each; and what the program that runs a row gets. What the rows do is TheirRows.swift
// (Foundation's own classes) and OurRows.swift. Who waits, and in which loop, is decided by the probe LoopProbe.
import Glibc
import SignalboxSystem

/// Something that a thread's loop has to serve.
public enum Row: String, CaseIterable, Sendable {
  // Foundation's.
  case processWait = "process-wait"
  case processHandler = "process-handler"
  case pipeHandler = "pipe-handler"
  case pipeNotice = "pipe-notice"
  case pipeEnd = "pipe-end"
  case pipeReady = "pipe-ready"
  case connection
  case theirTimer = "their-timer"
  case theirBlock = "their-block"
  case theirIdleNotice = "their-idle-notice"
  case theirSoonNotice = "their-soon-notice"
  case sessionOnQueue = "session"
  case sessionOnMain = "session-main"
  case theirMainQueue = "their-main-queue"
  case theirMainOperation = "their-main-operation"
  case mainActor = "main-actor"
  // Ours.
  case ourTimer = "our-timer"
  case ourBlock = "our-block"
  case ourInput = "our-input"
  case ourDelayed = "our-delayed"
  case ourPerform = "our-perform"
  case ourIdleNotice = "our-idle-notice"
  case ourSoonNotice = "our-soon-notice"
  case ourMainPerform = "our-main-perform"
  case ourMainQueue = "our-main-queue"
  /// Blocks of either loop have their turn between an item of the main queue and the one that it adds.
  case ourMainTurns = "our-main-turns"
  case ourMainOperation = "our-main-operation"
  case ourMainObserver = "our-main-observer"

  /// Whether only the main thread can be waited on for it. The notices of handles are among these: Foundation posts them there, and
  /// not on other threads, whatever their loops are (measured without Signalbox).
  public var isForMainOnly: Bool {
    switch self {
    case .pipeNotice, .pipeEnd, .pipeReady, .connection: true
    case .sessionOnMain, .theirMainQueue, .theirMainOperation, .mainActor, .ourMainPerform, .ourMainQueue, .ourMainTurns,
      .ourMainOperation, .ourMainObserver:
      true
    default: false
    }
  }

  /// Whether it is served on threads of Foundation's own, so that no loop is needed.
  var isServedElsewhere: Bool { self == .processHandler || self == .pipeHandler || self == .sessionOnQueue }

  /// Begins it on the calling thread, whose loop will be waited in. `served` is called when it was served, and where it should be.
  public func begin(_ served: @escaping @Sendable () -> Void) {
    let waiter = ThreadSlot.kernelID()
    let done = { @Sendable [self] in
      if ThreadSlot.kernelID() == waiter || isServedElsewhere { served() } else { say("\(rawValue): on another thread") }
    }
    if !TheirRows.begin(self, done) { OurRows.begin(self, done) }
  }
}

/// What must live until a row was served. SAFETY: used by the waiting thread alone.
enum Kept {
  nonisolated(unsafe) private static var things: [Any] = []
  static func keep(_ thing: Any) { things.append(thing) }
}

/// Prints one line at once, whole.
public func say(_ text: String) {
  let line = text + "\n"
  line.utf8CString.withUnsafeBytes { bytes in _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count - 1) }
}
