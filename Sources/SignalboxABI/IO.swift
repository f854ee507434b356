// IO.swift: channels: reading and writing descriptors and files. Behind a dispatch_io_t is a DispatchIO.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

extension Optional where Wrapped == UnsafeMutableRawPointer {
  /// The channel, lent for the call.
  @inline(__always) func io(_ function: StaticString = #function) -> Unmanaged<DispatchIO> { .fromOpaque(present(function)) }
}

// MARK: handlers

/// What hears of reads and writes: a copied block, or a function with its context.
private struct Hearer: @unchecked Sendable {
  // SAFETY of @unchecked: never changes; C's interface puts its use on another thread on the caller.
  private let work: CWork
  private let block: BlockCopy?
  /// Of a function: the sanitizer stands before the functions that take blocks only.
  private let order: SanitizedHearing?

  init(block: UnsafeMutableRawPointer) {
    let copy = BlockCopy(block)
    self.block = copy
    work = CWork(address: sb_abi_block_function(copy.address), copy.address)
    order = nil
  }

  init(_ function: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer?) {
    work = CWork(address: function, context)
    block = nil
    order = SanitizedHearing()
  }

  /// NULL for no data; the data is lent for the call.
  func tell(_ shape: Int, done: Bool = true, data: DispatchData?, error: Int32) {
    var telling = sb_abi_telling(
      function: work.address, context: work.argument, data: data?.lent, shape: Int32(shape), done: done ? 1 : 0, error: error)
    withExtendedLifetime((data, block)) {
      withUnsafeMutablePointer(to: &telling) { pointer in
        let call = CWork(sb_abi_tell, UnsafeMutableRawPointer(pointer))
        if let order { order.run(call) } else { call.run() }
      }
    }
  }

  var cleanup: (Int32) -> Void { { tell(SB_ABI_TELL_ERROR, data: nil, error: $0) } }
  var operation: (Bool, DispatchData?, Int32) -> Void { { tell(SB_ABI_TELL_IO, done: $0, data: $1, error: $2) } }
  var convenience: (DispatchData?, Int32) -> Void { { tell(SB_ABI_TELL_DATA, data: $0, error: $1) } }
}

/// The order of calls of one function for the sanitizer: they come after the operation was asked for, and are items of their queue.
private final class SanitizedHearing {
  /// nil without the sanitizer.
  init?() {
    guard SanitizedOrder.isWatched else { return nil }
    SanitizedOrder.precede(address)
  }
  private var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  func run(_ call: CWork) {
    SanitizedOrder.follow(address)
    guard let queue = DispatchQueue.current else { return call.run() }
    queue.asSanitizedItem { call.run() }
  }
}

extension DispatchData {
  /// As C gets it for the length of a call.
  fileprivate var lent: Handle { node.map { Unmanaged.passUnretained($0).toOpaque() } ?? sb_abi_data_empty() }
}

/// A function given by address; NULL is for blocks that may be missing.
public typealias Hearing = UnsafeMutableRawPointer

private func hearer(block: UnsafeMutableRawPointer?) -> Hearer? { block.map { Hearer(block: $0) } }
private func hearer(_ function: Hearing?, _ context: UnsafeMutableRawPointer?) -> Hearer? {
  function.map { Hearer($0, context) }
}

// MARK: making channels

private func streamType(_ type: UInt) -> DispatchIO.StreamType? { DispatchIO.StreamType(rawValue: type) }

/// The queue of a cleanup handler: without a handler none is needed.
private func cleanupQueue(_ queue: Handle?, _ cleanup: Hearer?, _ function: StaticString) -> DispatchQueue {
  cleanup == nil && queue == nil ? .global() : queue.queue(function).takeUnretainedValue()
}

private func make(
  _ type: UInt, _ number: Int32, _ queue: Handle?, _ cleanup: Hearer?, _ function: StaticString
) -> Handle? {
  guard let type = streamType(type) else { return nil }
  let queue = cleanupQueue(queue, cleanup, function)
  return DispatchIO(type: type, fileDescriptor: number, queue: queue, cleanupHandler: cleanup?.cleanup ?? { _ in }).created
}

private func make(
  _ type: UInt, _ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: UInt32, _ queue: Handle?, _ cleanup: Hearer?,
  _ function: StaticString
) -> Handle? {
  guard let type = streamType(type), let path else { return nil }
  let queue = cleanupQueue(queue, cleanup, function)
  return DispatchIO(
    type: type, path: path, oflag: flags, mode: mode, queue: queue, cleanupHandler: cleanup?.cleanup ?? { _ in })?.created
}

private func make(_ type: UInt, _ io: Handle?, _ queue: Handle?, _ cleanup: Hearer?, _ function: StaticString) -> Handle? {
  guard let type = streamType(type) else { return nil }
  let queue = cleanupQueue(queue, cleanup, function)
  return io.io(function).hold {
    DispatchIO(type: type, io: $0, queue: queue, cleanupHandler: cleanup?.cleanup ?? { _ in }).created
  }
}

/// A channel on an open descriptor; NULL for an unknown type. Any other error is passed to the cleanup handler.
@c(dispatch_io_create)
public func dispatch_io_create(_ type: UInt, _ fd: Int32, _ queue: Handle?, _ cleanup_handler: Hearing?) -> Handle? {
  make(type, fd, queue, hearer(block: cleanup_handler), #function)
}

/// Like `dispatch_io_create`; the handler is called with the context and the error.
@c(dispatch_io_create_f)
public func dispatch_io_create_f(
  _ type: UInt, _ fd: Int32, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ cleanup_handler: Hearing?
) -> Handle? { make(type, fd, queue, hearer(cleanup_handler, context), #function) }

/// A channel on a file that the first operation opens; NULL for an unknown type, and for a path that is not absolute.
@c(dispatch_io_create_with_path)
public func dispatch_io_create_with_path(
  _ type: UInt, _ path: UnsafePointer<CChar>?, _ oflag: Int32, _ mode: UInt32, _ queue: Handle?, _ cleanup_handler: Hearing?
) -> Handle? { make(type, path, oflag, mode, queue, hearer(block: cleanup_handler), #function) }

/// Like `dispatch_io_create_with_path`; the handler is called with the context and the error.
@c(dispatch_io_create_with_path_f)
public func dispatch_io_create_with_path_f(
  _ type: UInt, _ path: UnsafePointer<CChar>?, _ oflag: Int32, _ mode: UInt32, _ queue: Handle?,
  _ context: UnsafeMutableRawPointer?, _ cleanup_handler: Hearing?
) -> Handle? { make(type, path, oflag, mode, queue, hearer(cleanup_handler, context), #function) }

/// A channel on the descriptor of another one, or on the file of the same path; NULL for an unknown type.
@c(dispatch_io_create_with_io)
public func dispatch_io_create_with_io(
  _ type: UInt, _ io: Handle?, _ queue: Handle?, _ cleanup_handler: Hearing?
) -> Handle? { make(type, io, queue, hearer(block: cleanup_handler), #function) }

/// Like `dispatch_io_create_with_io`; the handler is called with the context and the error.
@c(dispatch_io_create_with_io_f)
public func dispatch_io_create_with_io_f(
  _ type: UInt, _ io: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ cleanup_handler: Hearing?
) -> Handle? { make(type, io, queue, hearer(cleanup_handler, context), #function) }

// MARK: operations

private func read(
  _ channel: Handle?, _ offset: Int64, _ length: UInt, _ queue: Handle?, _ hearer: Hearer, _ function: StaticString
) {
  let queue = queue.queue(function).takeUnretainedValue()
  channel.io(function).hold {
    $0.read(offset: Int(offset), length: Int(clamping: length), queue: queue, ioHandler: hearer.operation)
  }
}

private func write(
  _ channel: Handle?, _ offset: Int64, _ data: Handle?, _ queue: Handle?, _ hearer: Hearer, _ function: StaticString
) {
  let (queue, data) = (queue.queue(function).takeUnretainedValue(), data.dispatchData(function))
  channel.io(function).hold { $0.write(offset: Int(offset), data: data, queue: queue, ioHandler: hearer.operation) }
}

/// Reads `length` bytes, or up to the end for SIZE_MAX; the block hears of them.
@c(dispatch_io_read)
public func dispatch_io_read(_ channel: Handle?, _ offset: Int64, _ length: UInt, _ queue: Handle?, _ io_handler: Hearing?) {
  read(channel, offset, length, queue, Hearer(block: io_handler.present(#function)), #function)
}

/// Like `dispatch_io_read`; the function hears of the bytes.
@c(dispatch_io_read_f)
public func dispatch_io_read_f(
  _ channel: Handle?, _ offset: Int64, _ length: UInt, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ io_handler: Hearing?
) { read(channel, offset, length, queue, Hearer(io_handler.present(#function), context), #function) }

/// Writes the data; the block hears what remains.
@c(dispatch_io_write)
public func dispatch_io_write(_ channel: Handle?, _ offset: Int64, _ data: Handle?, _ queue: Handle?, _ io_handler: Hearing?) {
  write(channel, offset, data, queue, Hearer(block: io_handler.present(#function)), #function)
}

/// Like `dispatch_io_write`; the function hears what remains.
@c(dispatch_io_write_f)
public func dispatch_io_write_f(
  _ channel: Handle?, _ offset: Int64, _ data: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?,
  _ io_handler: Hearing?
) { write(channel, offset, data, queue, Hearer(io_handler.present(#function), context), #function) }

/// Runs the block when all operations before it have ended; those after it wait.
@c(dispatch_io_barrier)
public func dispatch_io_barrier(_ channel: Handle?, _ barrier: UnsafeMutableRawPointer?) {
  let block = BlockCopy(barrier.present(#function))
  channel.io().hold { $0.barrier { block.call() } }
}

/// Like `dispatch_io_barrier`, by a function and its context.
@c(dispatch_io_barrier_f)
public func dispatch_io_barrier_f(_ channel: Handle?, _ context: UnsafeMutableRawPointer?, _ barrier: Function) {
  let (work, order) = (CWork(barrier, context), SanitizedHearing())
  channel.io().hold { $0.barrier { if let order { order.run(work) } else { work.run() } } }
}

/// No new operations; DISPATCH_IO_STOP (1) ends those under way.
@c(dispatch_io_close)
public func dispatch_io_close(_ channel: Handle?, _ flags: UInt) {
  channel.io().hold {
    SanitizedDeeds.causes($0)
    $0.close(flags: DispatchIO.CloseFlags(rawValue: flags))
  }
}

/// The descriptor; -1 once closed, and while there is none.
@c(dispatch_io_get_descriptor)
public func dispatch_io_get_descriptor(_ channel: Handle?) -> Int32 { channel.io().lend { $0.fileDescriptor } }

/// Sets the largest number of bytes delivered at once.
@c(dispatch_io_set_high_water)
public func dispatch_io_set_high_water(_ channel: Handle?, _ high_water: UInt) {
  channel.io().lend { $0.setLimit(highWater: Int(clamping: high_water)) }
}

/// Sets the smallest number of bytes delivered at once; the last call may have fewer.
@c(dispatch_io_set_low_water)
public func dispatch_io_set_low_water(_ channel: Handle?, _ low_water: UInt) {
  channel.io().lend { $0.setLimit(lowWater: Int(clamping: low_water)) }
}

/// Handlers hear at this interval, in nanoseconds; DISPATCH_IO_STRICT_INTERVAL (1) also when there is little or nothing.
@c(dispatch_io_set_interval)
public func dispatch_io_set_interval(_ channel: Handle?, _ interval: UInt64, _ flags: UInt) {
  channel.io().lend { $0.setInterval(nanoseconds: interval, isStrict: flags & 1 != 0) }
}

// MARK: without a channel

private func read(_ fd: Int32, _ length: UInt, _ queue: Handle?, _ hearer: Hearer, _ function: StaticString) {
  let queue = queue.queue(function).takeUnretainedValue()
  DispatchIO.read(
    fromFileDescriptor: fd, maxLength: Int(clamping: length), runningHandlerOn: queue, handler: hearer.convenience)
}

private func write(_ fd: Int32, _ data: Handle?, _ queue: Handle?, _ hearer: Hearer, _ function: StaticString) {
  let queue = queue.queue(function).takeUnretainedValue()
  DispatchIO.write(
    toFileDescriptor: fd, data: data.dispatchData(function), runningHandlerOn: queue, handler: hearer.convenience)
}

/// Reads what is there, at most `length` bytes; the block gets them once.
@c(dispatch_read)
public func dispatch_read(_ fd: Int32, _ length: UInt, _ queue: Handle?, _ handler: Hearing?) {
  read(fd, length, queue, Hearer(block: handler.present(#function)), #function)
}

/// Like `dispatch_read`; the function gets the bytes.
@c(dispatch_read_f)
public func dispatch_read_f(
  _ fd: Int32, _ length: UInt, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ handler: Hearing?
) { read(fd, length, queue, Hearer(handler.present(#function), context), #function) }

/// Writes the data; the block gets what could not be written, or NULL.
@c(dispatch_write)
public func dispatch_write(_ fd: Int32, _ data: Handle?, _ queue: Handle?, _ handler: Hearing?) {
  write(fd, data, queue, Hearer(block: handler.present(#function)), #function)
}

/// Like `dispatch_write`; the function gets the rest.
@c(dispatch_write_f)
public func dispatch_write_f(
  _ fd: Int32, _ data: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ handler: Hearing?
) { write(fd, data, queue, Hearer(handler.present(#function), context), #function) }
