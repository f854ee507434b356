// DispatchIO.swift: channels as their users hold them. What a channel is made of is IOChannel.swift; reads and writes without one
// are DispatchIO+Convenience.swift.
import SignalboxDiagnosis
public import SignalboxSystem

/// The number of an open file.
public typealias dispatch_fd_t = Int32

/// Reads and writes of one descriptor or file, done by the system's threads and told to handlers.
///
/// The system controls the descriptor until the cleanup handler is submitted: once the channel is closed or its last reference is
/// gone, its operations have ended, and so for all channels of the same descriptor. Until then O_NONBLOCK may be set on
/// descriptors other than files'; it is then as it was.
///
/// Thread safety: every method may be called from any thread.
public class DispatchIO: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: the channel guards itself.
  let channel: IOChannel

  /// How a channel's operations find their bytes.
  public enum StreamType: UInt, Sendable {
    /// Reads one after another, writes one after another, from the file pointer on.
    case stream = 0
    /// Operations at offsets from the file pointer of the channel's creation, several at a time.
    case random = 1
  }

  /// What closing does besides.
  public struct CloseFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The flags with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Operations under way end as soon as they can, with `ECANCELED`.
    public static let stop = CloseFlags(rawValue: 1)
  }

  /// How the interval is kept.
  public struct IntervalFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The flags with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// No flags.
    public init(nilLiteral: ()) { self.rawValue = 0 }
    /// A report also when there is less to report than the low mark, or nothing.
    public static let strictInterval = IntervalFlags(rawValue: 1)
  }

  init(_ channel: IOChannel) {
    self.channel = channel
    super.init()
  }

  /// What `print` shows.
  override final func text(at address: UInt) -> String {
    ObjectText.plain("DispatchIO", nil, address, ["\(channel.type)", "descriptor \(channel.descriptor.number)"])
  }

  /// A channel on an open descriptor.
  ///
  /// - Parameters:
  ///   - queue: where `cleanupHandler` runs.
  ///   - cleanupHandler: runs once, last, when the descriptor is the caller's again. Its error is not 0 if the channel could not be
  ///     made: `EBADF`, `EISDIR`, or `ESPIPE` for random access to what has no positions. Operations then get the same error.
  public convenience init(
    type: StreamType, fileDescriptor: dispatch_fd_t, queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel(type, fileDescriptor, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  /// A channel on the file at a path, which the first operation opens; nil for a path that does not begin with a slash.
  ///
  /// - Parameters:
  ///   - path: an absolute path.
  ///   - oflag: open(2)'s flags, as they are.
  ///   - mode: the permissions if a file is created.
  ///   - queue: where `cleanupHandler` runs.
  ///   - cleanupHandler: runs once, last, when the file is closed. Its error is not 0 if the file could not be opened; the
  ///     operations get the same one.
  public convenience init?(
    type: StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: mode_t, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    guard let file = IOPath(path, flags: oflag, mode: mode) else { return nil }
    self.init(IOChannel(type, file, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  /// A channel on what another one is on: its descriptor, or the file of the same path, opened anew. Type and policies are its own.
  ///
  /// - Parameter cleanupHandler: as that of the other channel; the error is `ECANCELED` if that is closed.
  public convenience init(
    type: StreamType, io: DispatchIO, queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel(type, like: io.channel, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  deinit {
    if channel.isSuspended {
      Misuse.stop("the \(channel.label) is freed while suspended: balance every suspend() with a resume() first")
    }
    channel.close(stops: false)
  }

  // MARK: operations

  /// Reads `length` bytes, or up to the end if there are fewer; `Int.max` reads up to the end.
  ///
  /// - Parameters:
  ///   - offset: of a random-access channel: relative to the file pointer of the channel's creation.
  ///   - queue: where the handler runs, one call at a time.
  ///   - ioHandler: gets the bytes read since its last call, in order; done at its last call. At the end of the file that call has no
  ///     bytes and no error; with an error it has nil.
  public func read(
    offset: off_t, length: Int, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.schedule(.read, offset: Int64(offset), length: length < 0 ? .max : length, queue: queue, ioHandler)
  }

  /// Writes `data`.
  ///
  /// - Parameters:
  ///   - offset: of a random-access channel: relative to the file pointer of the channel's creation.
  ///   - data: kept until it is written.
  ///   - queue: where the handler runs, one call at a time.
  ///   - ioHandler: gets what is not written yet, nil when all is; done at its last call.
  public func write(
    offset: off_t, data: DispatchData, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.schedule(.write, offset: Int64(offset), length: data.count, data: data, queue: queue, ioHandler)
  }

  /// Runs `execute` when all operations scheduled before, on any channel of the descriptor, have ended; those scheduled after wait
  /// until it has returned. It may use the descriptor, but not close it.
  public func barrier(execute: @escaping () -> Void) { channel.scheduleBarrier(execute) }

  /// No new operations: their handlers get `ECANCELED`. Those under way go on, or are stopped if `flags` say so.
  public func close(flags: CloseFlags = []) { channel.close(stops: flags.contains(.stop)) }

  /// The descriptor; -1 for a closed channel, and for a path that is not open yet, which a barrier's block opens by asking.
  public var fileDescriptor: Int32 { channel.fileDescriptor }

  // MARK: policy, for operations scheduled from then on

  /// A report has at most so many bytes, and comes when there are so many. A low mark above it is lowered to it.
  public func setLimit(highWater: Int) { channel.set { $0.setHigh(highWater) } }

  /// A report has at least so many bytes, but the last one, one before an end or an error, or a strict interval's.
  public func setLimit(lowWater: Int) { channel.set { $0.setLow(lowWater) } }

  /// Reports come at this interval, if there is as much as the low mark; with `strictInterval` in any case.
  public func setInterval(interval: DispatchTimeInterval, flags: IntervalFlags = []) {
    setInterval(nanoseconds: interval.ioNanoseconds, isStrict: flags.contains(.strictInterval))
  }

  package func setInterval(nanoseconds: UInt64, isStrict: Bool) {
    channel.set {
      $0.interval = nanoseconds
      $0.isStrict = isStrict
    }
  }

  // MARK: what DispatchObject promises

  /// No handler, barrier or cleanup handler is submitted, and no operation starts, until a matching `resume()`.
  public override func suspend() { channel.suspend() }
  /// Takes one `suspend()` back; one too many stops the program.
  public override func resume() {
    if !resumeIfSuspended() {
      Misuse.stop("the \(channel.label) is resumed more often than suspended: every resume() needs an earlier suspend()")
    }
  }
  /// As `resume()`, for the C face; false, without effect, if it was not suspended.
  package final func resumeIfSuspended() -> Bool { channel.resume() }
  /// Reading, writing and barriers happen on the global queue that `queue` leads to; nil means the default one.
  public override func setTarget(queue: DispatchQueue?) { channel.setTarget(queue) }

  /// What C keeps with the object.
  package var context: CContext { channel.place.made }
}

extension DispatchTimeInterval {
  /// As C gives an interval: none is the largest number.
  fileprivate var ioNanoseconds: UInt64 {
    func scaled(_ count: Int, _ unit: Int) -> UInt64 {
      let (product, isTooLarge) = max(0, count).multipliedReportingOverflow(by: unit)
      return isTooLarge ? .max : UInt64(product)
    }
    switch self {
    case .seconds(let count): return scaled(count, 1_000_000_000)
    case .milliseconds(let count): return scaled(count, 1_000_000)
    case .microseconds(let count): return scaled(count, 1_000)
    case .nanoseconds(let count): return scaled(count, 1)
    case .never: return .max
    }
  }
}
