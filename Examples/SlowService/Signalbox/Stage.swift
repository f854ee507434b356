// Stage.swift: how long a planted fault lasts: its time, or until whoever has started the program says so.
import Glibc

/// What was planted.
enum Fault: String {
  /// A blocking call on the main queue.
  case mainQueue = "main queue"
  /// Every thread of the pool waits.
  case pool
  /// An urgent item lies behind others that are not.
  case urgent
}

struct Stage: Sendable {
  /// Faults last until a line comes on standard input.
  let isHeld: Bool

  /// Keeps the calling thread, as a slow disk or printer does.
  func keep(_ fault: Fault, milliseconds: UInt32) {
    if isHeld { awaitLine(fault) } else { usleep(milliseconds * 1_000) }
  }

  /// Says that the fault has begun, and returns when it is to end.
  func awaitLine(_ fault: Fault) {
    Self.say("begun: \(fault.rawValue)")
    _ = readLine()
  }

  static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
