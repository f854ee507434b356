// DispatchIO+Convenience.swift: one read or write of a descriptor without a channel of the caller's.
import SignalboxSystem

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
