// Channels.swift: reading and writing descriptors and files, by channels and without. Any thread may call; a nil channel, queue
// or data stops the program. Suspending channels is Objects.swift, the bytes are Data.swift.
import SignalboxDispatch

/// `DISPATCH_IO_STREAM` or `DISPATCH_IO_RANDOM`, as C has them.
public typealias dispatch_io_type_t = UInt
/// 0 or `DISPATCH_IO_STOP`, as C has it.
public typealias dispatch_io_close_flags_t = UInt
/// 0 or `DISPATCH_IO_STRICT_INTERVAL`, as C has it.
public typealias dispatch_io_interval_flags_t = UInt
/// A handler of an operation: whether this is its last call, the bytes, and an error number or 0.
public typealias dispatch_io_handler_t = @Sendable (_ done: Bool, _ data: dispatch_data_t?, _ error: Int32) -> Void

// Int32, as these constants of C's headers are where Swift imports them; the functions take any integer in their place.

/// A stream: operations run one after another from the current file position on.
public let DISPATCH_IO_STREAM: Int32 = 0
/// Random access: operations have offsets, and several run at the same time.
public let DISPATCH_IO_RANDOM: Int32 = 1
/// Closing ends the operations in progress.
public let DISPATCH_IO_STOP: Int32 = 1
/// Handlers are called at every interval, even without bytes.
public let DISPATCH_IO_STRICT_INTERVAL: Int32 = 1

// MARK: making channels

/// Creates a channel for an open descriptor, which the system controls until the cleanup handler runs.
///
/// - Parameters:
///   - type: `DISPATCH_IO_STREAM` or `DISPATCH_IO_RANDOM`.
///   - fd: the open descriptor; it must stay open until the cleanup handler runs.
///   - queue: where `cleanup_handler` runs; may be nil only if there is no handler.
///   - cleanup_handler: runs once, as the last handler; with an error number if the channel could not be created.
/// - Returns: nil for an unknown type.
@preconcurrency
public func dispatch_io_create(
  _ type: some BinaryInteger, _ fd: dispatch_fd_t, _ queue: dispatch_queue_t?,
  _ cleanup_handler: (@Sendable (_ error: Int32) -> Void)?
) -> dispatch_io_t! {
  guard let type = streamType(type) else { return nil }
  let queue = cleanupQueue(queue, cleanup_handler)
  return DispatchIO(type: type, fileDescriptor: fd, queue: queue, cleanupHandler: cleanup_handler ?? { _ in })
}

/// Creates a channel for the file at a path, which the first operation opens.
///
/// - Parameters:
///   - type: `DISPATCH_IO_STREAM` or `DISPATCH_IO_RANDOM`.
///   - path: absolute.
///   - oflag: open(2)'s flags.
///   - mode: the permissions of the file if it is created.
///   - queue: where `cleanup_handler` runs; may be nil only if there is no handler.
///   - cleanup_handler: runs once, as the last handler; with an error number if the file could not be opened.
/// - Returns: nil for an unknown type, and for a path that does not begin with a slash.
@preconcurrency
public func dispatch_io_create_with_path(
  _ type: some BinaryInteger, _ path: UnsafePointer<CChar>?, _ oflag: Int32, _ mode: UInt32, _ queue: dispatch_queue_t?,
  _ cleanup_handler: (@Sendable (_ error: Int32) -> Void)?
) -> dispatch_io_t! {
  guard let type = streamType(type), let path else { return nil }
  let queue = cleanupQueue(queue, cleanup_handler)
  return DispatchIO(type: type, path: path, oflag: oflag, mode: mode, queue: queue, cleanupHandler: cleanup_handler ?? { _ in })
}

/// Creates a channel for the descriptor of another channel, or for the file at the same path; see `dispatch_io_create`.
@preconcurrency
public func dispatch_io_create_with_io(
  _ type: some BinaryInteger, _ io: dispatch_io_t?, _ queue: dispatch_queue_t?,
  _ cleanup_handler: (@Sendable (_ error: Int32) -> Void)?
) -> dispatch_io_t! {
  guard let type = streamType(type) else { return nil }
  let queue = cleanupQueue(queue, cleanup_handler)
  return DispatchIO(type: type, io: present(io), queue: queue, cleanupHandler: cleanup_handler ?? { _ in })
}

private func streamType(_ type: some BinaryInteger) -> DispatchIO.StreamType? {
  DispatchIO.StreamType(rawValue: UInt(truncatingIfNeeded: type))
}

/// The queue of a cleanup handler: without a handler none is needed.
private func cleanupQueue(
  _ queue: dispatch_queue_t?, _ handler: ((Int32) -> Void)?, _ function: StaticString = #function
) -> DispatchQueue { queue ?? (handler == nil ? .global() : present(queue, function)) }

// MARK: operations

/// Reads `length` bytes, or up to the end if there are fewer.
///
/// - Parameters:
///   - channel: must not be nil; otherwise the program is stopped.
///   - offset: for random access: relative to the file position at the channel's creation.
///   - length: `Int.max`, or -1, the value of C's SIZE_MAX here, reads up to the end.
///   - queue: where the handler runs, one call at a time.
///   - io_handler: called with the bytes in order; a last call without bytes and error means the end of the file.
@preconcurrency
public func dispatch_io_read(
  _ channel: dispatch_io_t?, _ offset: Int, _ length: Int, _ queue: dispatch_queue_t?,
  _ io_handler: @escaping dispatch_io_handler_t
) {
  present(channel).read(offset: offset, length: length, queue: present(queue), ioHandler: io_handler)
}

/// Writes `data`; the handler is called with the bytes that are not written yet, or nil if all are. See `dispatch_io_read`.
@preconcurrency
public func dispatch_io_write(
  _ channel: dispatch_io_t?, _ offset: Int, _ data: dispatch_data_t?, _ queue: dispatch_queue_t?,
  _ io_handler: @escaping dispatch_io_handler_t
) {
  present(channel).write(offset: offset, data: present(data), queue: present(queue), ioHandler: io_handler)
}

/// Runs `barrier` when all operations of the descriptor before it have ended; those after it start when it has returned.
@preconcurrency
public func dispatch_io_barrier(_ channel: dispatch_io_t?, _ barrier: @escaping dispatch_block_t) {
  present(channel).barrier(execute: barrier)
}

/// Closes the channel: new operations fail with `ECANCELED`, and with `DISPATCH_IO_STOP` those in progress as well.
public func dispatch_io_close(_ channel: dispatch_io_t?, _ flags: some BinaryInteger) {
  present(channel).close(flags: DispatchIO.CloseFlags(rawValue: UInt(truncatingIfNeeded: flags)))
}

/// The descriptor; -1 for a closed channel, and for a file that is not open yet.
public func dispatch_io_get_descriptor(_ channel: dispatch_io_t?) -> dispatch_fd_t { present(channel).fileDescriptor }

// MARK: policy, for operations from then on; -1, the value of C's SIZE_MAX here, is the largest number of bytes

/// Sets the largest number of bytes delivered at once.
public func dispatch_io_set_high_water(_ channel: dispatch_io_t?, _ high_water: Int) {
  present(channel).setLimit(highWater: high_water < 0 ? .max : high_water)
}

/// Sets the smallest number of bytes delivered at once; the last call may have fewer.
public func dispatch_io_set_low_water(_ channel: dispatch_io_t?, _ low_water: Int) {
  present(channel).setLimit(lowWater: low_water < 0 ? .max : low_water)
}

/// Sets the interval of handler calls in nanoseconds; with `DISPATCH_IO_STRICT_INTERVAL` handlers are called even with few
/// bytes or none.
public func dispatch_io_set_interval(_ channel: dispatch_io_t?, _ interval: UInt64, _ flags: some BinaryInteger) {
  let isStrict = UInt(truncatingIfNeeded: flags) & UInt(DISPATCH_IO_STRICT_INTERVAL) != 0
  present(channel).setInterval(nanoseconds: interval, isStrict: isStrict)
}

// MARK: without a channel

/// Reads the available bytes, at most `length`, and calls the handler once; no bytes and no error mean the end of the stream.
///
/// - Parameters:
///   - fd: an open descriptor.
///   - length: the largest number of bytes; `Int.max`, or -1, the value of C's SIZE_MAX here, means all available bytes.
///   - queue: where the handler runs.
///   - handler: called once. Its error is an error number of the system, 0 for none.
@preconcurrency
public func dispatch_read(
  _ fd: dispatch_fd_t, _ length: Int, _ queue: dispatch_queue_t?,
  _ handler: @escaping @Sendable (_ data: dispatch_data_t, _ error: Int32) -> Void
) {
  DispatchIO.read(fromFileDescriptor: fd, maxLength: length, runningHandlerOn: present(queue), handler: handler)
}

/// Writes `data`; the handler is called once with the bytes that could not be written, or nil.
@preconcurrency
public func dispatch_write(
  _ fd: dispatch_fd_t, _ data: dispatch_data_t?, _ queue: dispatch_queue_t?,
  _ handler: @escaping @Sendable (_ data: dispatch_data_t?, _ error: Int32) -> Void
) {
  DispatchIO.write(toFileDescriptor: fd, data: present(data), runningHandlerOn: present(queue), handler: handler)
}
