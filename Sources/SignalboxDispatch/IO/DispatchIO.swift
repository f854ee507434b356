// DispatchIO.swift: channels as their users hold them, and one read or write of a descriptor without a channel of the
// caller's. What a channel is made of is IOChannel.swift.
public import SignalboxSystem
import SignalboxWaits

/// A file descriptor.
///
/// ```swift
/// let input: dispatch_fd_t = 0  // standard input
/// let channel = DispatchIO(type: .stream, fileDescriptor: input, queue: .global()) { _ in }
/// print(channel.fileDescriptor == input)  // true
/// channel.close()
/// ```
public typealias dispatch_fd_t = Int32

/// A channel that reads and writes one descriptor or file asynchronously and delivers the results to handlers.
///
/// The system controls the descriptor until the cleanup handler is submitted. That happens when every channel of the descriptor
/// is closed or has lost its last reference, and its operations have ended. Until then O_NONBLOCK may be set on descriptors of
/// anything but files; afterwards the flag is as it was before.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// let queue = DispatchQueue(label: "reading"), closed = DispatchSemaphore(value: 0)
/// let file = DispatchIO(type: .stream, path: "/etc/passwd", oflag: 0, mode: 0, queue: queue) { _ in closed.signal() }
/// file?.read(offset: 0, length: .max, queue: queue) { _, data, _ in print(data?.count ?? 0, "bytes") }
/// file?.close()  // when the operations have ended
/// closed.wait()
/// ```
public class DispatchIO: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: the channel guards itself.
  let channel: IOChannel

  /// How the operations of a channel address their bytes.
  ///
  /// ```swift
  /// let isDone = DispatchSemaphore(value: 0)
  /// let file = DispatchIO(type: .random, path: "/etc/passwd", oflag: 0, mode: 0, queue: .global()) { _ in }
  /// file?.read(offset: 5, length: 10, queue: .global()) { done, data, _ in  // `.stream` has no offsets
  ///   print(data?.count ?? 0, "bytes from the sixth on")
  ///   if done { isDone.signal() }
  /// }
  /// isDone.wait()
  /// ```
  public enum StreamType: UInt, Sendable {
    /// A stream: reads run one after another, and so do writes, from the current file position on.
    case stream = 0
    /// Random access: each operation has an offset from the file position at the channel's creation. Several run at the same
    /// time.
    case random = 1
  }

  /// Options for closing a channel.
  ///
  /// ```swift
  /// let file = DispatchIO(type: .stream, path: "/etc/passwd", oflag: 0, mode: 0, queue: .global()) { _ in }
  /// file?.read(offset: 0, length: .max, queue: .global()) { done, _, error in if done { print("error", error) } }
  /// file?.close(flags: .stop)  // ends the read; without the flag it is completed
  /// ```
  public struct CloseFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The flags with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Ends operations in progress as soon as possible; they get `ECANCELED`.
    public static let stop = CloseFlags(rawValue: 1)
  }

  /// Options for the reporting interval.
  ///
  /// ```swift
  /// let isDone = DispatchSemaphore(value: 0)
  /// let file = DispatchIO(type: .stream, path: "/etc/passwd", oflag: 0, mode: 0, queue: .global()) { _ in }
  /// file?.setInterval(interval: .milliseconds(50), flags: .strictInterval)  // a call every 50 ms in any case
  /// file?.read(offset: 0, length: .max, queue: .global()) { done, data, _ in
  ///   print(data?.count ?? 0, "bytes")
  ///   if done { isDone.signal() }
  /// }
  /// isDone.wait()
  /// ```
  public struct IntervalFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The flags with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// No flags.
    public init(nilLiteral: ()) { self.rawValue = 0 }
    /// Calls the handler at every interval, even with fewer bytes than the low-water mark, or none.
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

  /// Creates a channel for an open descriptor.
  ///
  /// - Parameters:
  ///   - type: how operations address their bytes.
  ///   - fileDescriptor: an open descriptor. Signalbox controls it until `cleanupHandler` runs, and does not close it.
  ///   - queue: where `cleanupHandler` runs.
  ///   - cleanupHandler: runs once, as the last handler, when the caller controls the descriptor again. Its error is not 0 if
  ///     the channel could not be created: `EBADF`, `EISDIR`, or `ESPIPE` for random access to a descriptor that cannot seek.
  ///     Operations then fail with the same error.
  public convenience init(
    type: StreamType, fileDescriptor: dispatch_fd_t, queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel(type, fileDescriptor, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  /// Creates a channel for the file at a path; the first operation opens it. Returns nil if the path does not begin with a
  /// slash.
  ///
  /// - Parameters:
  ///   - type: how operations address their bytes.
  ///   - path: an absolute path.
  ///   - oflag: the flags for `open(2)`, passed on unchanged.
  ///   - mode: the permissions of the file if it is created.
  ///   - queue: where `cleanupHandler` runs.
  ///   - cleanupHandler: runs once, as the last handler, when the file is closed. Its error is not 0 if the file could not be
  ///     opened; the operations fail with the same error.
  public convenience init?(
    type: StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: mode_t, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    guard let file = IOPath(path, flags: oflag, mode: mode) else { return nil }
    self.init(IOChannel(type, file, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  /// Creates a channel for the same descriptor as another channel, or for the file at the same path, which is opened again.
  /// Type and limits are its own.
  ///
  /// - Parameter type: how operations address their bytes.
  /// - Parameter io: the channel whose descriptor or path is used.
  /// - Parameter queue: where `cleanupHandler` runs.
  /// - Parameter cleanupHandler: as for the other initializers; its error is `ECANCELED` if the other channel is closed.
  public convenience init(
    type: StreamType, io: DispatchIO, queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel(type, like: io.channel, IOChannel.Cleanup(queue: queue, handler: cleanupHandler)))
  }

  deinit {
    if channel.isSuspended {
      Misuse.stop("the \(channel.label) is freed while suspended: balance every suspend() with a resume() first")
    }
    SanitizedDeeds.hands(self, over: channel)
    channel.close(stops: false)
  }

  // MARK: operations

  /// Reads `length` bytes, or all up to the end if there are fewer; `Int.max` reads to the end.
  ///
  /// - Parameters:
  ///   - offset: for random access: relative to the file position at the channel's creation.
  ///   - length: in bytes.
  ///   - queue: where the handler runs, one call at a time.
  ///   - ioHandler: called with the bytes read since the last call, in order; `done` is true in the last call. At the end of
  ///     the file the last call has no bytes and no error; after an error its data is nil.
  public func read(
    offset: off_t, length: Int, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.schedule(.read, offset: Int64(offset), length: length < 0 ? .max : length, queue: queue, ioHandler)
  }

  /// Writes all bytes of `data`.
  ///
  /// - Parameters:
  ///   - offset: for random access: relative to the file position at the channel's creation.
  ///   - data: kept until it is written.
  ///   - queue: where the handler runs, one call at a time.
  ///   - ioHandler: called with the bytes that are not written yet, or nil if all are; `done` is true in the last call.
  public func write(
    offset: off_t, data: DispatchData, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.schedule(.write, offset: Int64(offset), length: data.count, data: data, queue: queue, ioHandler)
  }

  /// Runs `execute` when all operations scheduled before it, on any channel of the descriptor, have ended. Operations scheduled
  /// later start after it has returned. It may use the descriptor, but must not close it.
  public func barrier(execute: @escaping () -> Void) { channel.scheduleBarrier(execute) }

  /// Closes the channel: new operations fail with `ECANCELED`. Operations in progress continue, unless `flags` contains
  /// `.stop`.
  public func close(flags: CloseFlags = []) { channel.close(stops: flags.contains(.stop)) }

  /// The descriptor; -1 for a closed channel, and for a path that is not open yet. Reading this inside a barrier opens the
  /// path.
  public var fileDescriptor: Int32 { channel.fileDescriptor }

  // MARK: policy, for operations scheduled from then on

  /// Sets the largest number of bytes delivered at once: the handler is called as soon as that many are available. A larger
  /// low-water mark is lowered to it.
  public func setLimit(highWater: Int) { channel.set { $0.setHigh(highWater) } }

  /// Sets the smallest number of bytes delivered at once. The last call may have fewer, as may one before the end of the file,
  /// before an error, or from a strict interval.
  public func setLimit(lowWater: Int) { channel.set { $0.setLow(lowWater) } }

  /// Sets how often the handler is called while an operation runs, if at least the low-water mark is available; with
  /// `strictInterval` in any case. An interval of zero is none.
  public func setInterval(interval: DispatchTimeInterval, flags: IntervalFlags = []) {
    setInterval(nanoseconds: interval.ioNanoseconds, isStrict: flags.contains(.strictInterval))
  }

  package func setInterval(nanoseconds: UInt64, isStrict: Bool) {
    channel.set {
      $0.interval = nanoseconds == 0 ? .max : nanoseconds
      $0.isStrict = isStrict
    }
  }

  // MARK: what DispatchObject promises

  /// Pauses the channel: until a matching `resume()`, no handler is submitted and no operation starts. That includes barriers
  /// and cleanup handlers.
  ///
  /// ```swift
  /// let isDone = DispatchSemaphore(value: 0)
  /// let file = DispatchIO(type: .stream, path: "/etc/passwd", oflag: 0, mode: 0, queue: .global()) { _ in }
  /// file?.suspend()
  /// file?.read(offset: 0, length: 10, queue: .global()) { done, _, _ in if done { isDone.signal() } }  // starts later
  /// file?.resume()
  /// isDone.wait()
  /// ```
  public override func suspend() { channel.suspend() }
  /// Reverses one `suspend()`; one call too many stops the program.
  ///
  /// ```swift
  /// let isDone = DispatchSemaphore(value: 0)
  /// let file = DispatchIO(type: .stream, path: "/etc/passwd", oflag: 0, mode: 0, queue: .global()) { _ in }
  /// file?.suspend()
  /// file?.barrier { isDone.signal() }
  /// file?.resume()  // the barrier runs now
  /// isDone.wait()
  /// ```
  public override func resume() {
    if !resumeIfSuspended() {
      Misuse.stop("the \(channel.label) is resumed more often than suspended: every resume() needs an earlier suspend()")
    }
  }
  /// Like `resume()`, for the C face; false, without effect, if it was not suspended.
  package final func resumeIfSuspended() -> Bool { channel.resume() }
  /// Sets the queue that decides which global queue does the reading, writing and barriers: the one that `queue` leads to; nil
  /// means the default one.
  ///
  /// ```swift
  /// let input = DispatchIO(type: .stream, fileDescriptor: 0, queue: .global()) { _ in }
  /// input.setTarget(queue: .global(qos: .utility))  // reads and writes are work of that class
  /// input.close()
  /// ```
  public override func setTarget(queue: DispatchQueue?) { channel.setTarget(queue) }

  override final var sanitizedCause: UInt { channel.sanitizedCause }

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

// MARK: one read or write without a channel

extension DispatchIO {
  /// Reads the bytes that are available: from a stream at most `maxLength`, and at least one unless it is at its end; from a
  /// file `maxLength` bytes, or all up to its end.
  ///
  /// - Parameters:
  ///   - fromFileDescriptor: an open descriptor. It must stay open, and nobody else may use it, until the handler runs.
  ///   - maxLength: in bytes; `Int.max` sets no limit.
  ///   - queue: where the handler runs.
  ///   - handler: called once, with the bytes, when the caller controls the descriptor again. No bytes and no error mean the
  ///     end of the stream.
  public class func read(
    fromFileDescriptor: Int32, maxLength: Int, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ data: DispatchData, _ error: Int32) -> Void
  ) {
    once(.read, fromFileDescriptor, maxLength < 0 ? .max : maxLength, nil, queue) { handler($0 ?? .empty, $1) }
  }

  /// Writes all bytes of `data` as a stream.
  ///
  /// - Parameters:
  ///   - toFileDescriptor: an open descriptor. It must stay open, and nobody else may use it, until the handler runs.
  ///   - data: the bytes to write.
  ///   - queue: where the handler runs.
  ///   - handler: called once, with the bytes that could not be written or nil, when the caller controls the descriptor again.
  public class func write(
    toFileDescriptor: Int32, data: DispatchData, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ data: DispatchData?, _ error: Int32) -> Void
  ) {
    once(.write, toFileDescriptor, data.count, data, queue, handler)
  }

  /// A channel for one operation. Its cleanup handler tells the result: by then the descriptor is given back.
  private static func once(
    _ direction: IOProgress.Direction, _ number: Int32, _ length: Int, _ data: DispatchData?, _ queue: DispatchQueue,
    _ handler: @escaping (DispatchData?, Int32) -> Void
  ) {
    let outcome = Outcome()
    let channel = IOChannel(
      .stream, number, IOChannel.Cleanup(queue: queue) { _ in handler(outcome.data, outcome.error) }, isPrivate: true)
    channel.schedule(direction, offset: 0, length: length, data: data, queue: nil) { _, data, error in
      (outcome.data, outcome.error) = (data, error)
    }
    channel.close(stops: false)
  }

  /// SAFETY of @unchecked: written by the operation, read by the cleanup handler, which is submitted after it.
  private final class Outcome: @unchecked Sendable {
    var data: DispatchData?
    var error: Int32 = 0
  }
}
