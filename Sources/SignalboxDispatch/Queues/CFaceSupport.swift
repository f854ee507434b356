// CFaceSupport.swift: what the C faces (C-style names, C ABI) need of the layers below, which they may not import themselves.
import SignalboxSystem

/// Doors to lower layers for the C faces.
package enum CFaceSupport {
  /// Whether this process is the fork of one that had used queues.
  package static var isFork: Bool { Instruments.isForkedChild }

  /// The kind of objects that hold the blocks of work items, as the first word of each has it; 0: there are none.
  package static let blockHolder = Atomic64(0)

  /// The function by which jobs of Swift's tasks that came through the C face are run; 0: none has come.
  package static let jobRunner = Atomic64(0)

  /// Ends the program for misuse; see `Misuse.stop`.
  package static func stop(_ message: String) -> Never { Misuse.stop(message) }

  /// What the calling code is an item of, in words, for such a message.
  package static var whereabouts: String { "running inside: \(ThreadFrames.description())" }

  /// Writes one line on standard error and goes on.
  package static func report(_ message: String) { Misuse.report(message) }
}
