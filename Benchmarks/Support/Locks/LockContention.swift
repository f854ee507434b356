// LockContention.swift: what the lock of a contended row saw: how often it was taken and met, and the longest wait. Seen in a round of
// its own that no time is taken of, because counting costs.
import SignalboxCommandLine

/// What was seen of one lock under load.
public struct LockContention: Sendable, Equatable {
  /// How often the lock was taken.
  public let acquisitions: Int
  /// How often another thread held it when it was asked for.
  public let contended: Int
  /// Nanoseconds of the longest wait.
  public let longestWaitNanoseconds: Double
  /// The name of the thread that held it when that wait began; nil if that is not known, as of readers, which are
  /// several.
  public let holder: String?

  /// Puts the figures together.
  public init(acquisitions: Int, contended: Int, longestWaitNanoseconds: Double, holder: String?) {
    self.acquisitions = acquisitions
    self.contended = contended
    self.longestWaitNanoseconds = longestWaitNanoseconds
    self.holder = holder
  }

  /// The contended share of the acquisitions, 0...1.
  public var share: Double { Double(contended) / Double(max(1, acquisitions)) }

  /// In a few words.
  var text: String {
    let wait = fixedText(longestWaitNanoseconds / 1e6, digits: 2)
    let behind = holder.map { " behind \"\($0)\"" } ?? ""
    return
      "counted: taken \(acquisitions) times, \(fixedText(share * 100, digits: 1)) % contended, longest wait \(wait) ms\(behind)"
  }

  var json: JSON {
    .object([
      ("acquisitions", .number(Double(acquisitions))), ("contended", .number(Double(contended))), ("share", .number(share)),
      ("longestWait", .number(longestWaitNanoseconds / 1e6)), ("holder", holder.map { .string($0) } ?? .null),
    ])
  }
}

/// Counts what locks see while switched on; Signalbox's statistics provide it.
public struct LockCounter: Sendable {
  /// Starts counting at zero.
  public let start: @Sendable () -> Void
  /// Stops counting; what the lock that was taken most often saw. nil if none was taken.
  public let stop: @Sendable () -> LockContention?

  /// A counter made of two functions.
  public init(start: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> LockContention?) {
    self.start = start
    self.stop = stop
  }
}
