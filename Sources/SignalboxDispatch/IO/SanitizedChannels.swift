// SanitizedChannels.swift: the orders that channels give, told to the thread sanitizer; it knows what was asked for before, not what has
// run before. The places are SanitizedDeeds'. Without the sanitizer nothing happens.
import SignalboxSystem

private typealias Place = SanitizedDeeds.ChannelPlace

extension IOChannel {
  /// The address of what its users did: resumed or closed it.
  var sanitizedCause: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) + 8 * Place.deeds }

  /// A handler, of `operation`, or a barrier is called: after the operation's earlier calls, the barriers before it, and what let it run.
  func followInSanitizedOrder(_ operation: IOOperation?) {
    if !SanitizedOrder.isWatched { return }
    if let operation { SanitizedOrder.follow(operation, Place.calls) }
    SanitizedOrder.follow(descriptor, Place.barrier)
    SanitizedOrder.follow(self, Place.deeds)
  }

  /// The last call of an operation's handler, or a barrier, has returned.
  func precedeCleanupInSanitizedOrder() {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(descriptor, Place.ended) }
  }

  /// The cleanup handler is called: also after all that users did before they let go of the channel.
  func followEndInSanitizedOrder() {
    if !SanitizedOrder.isWatched { return }
    SanitizedOrder.follow(self, SanitizedDeeds.users)
    SanitizedOrder.follow(descriptor, Place.ended)
    SanitizedOrder.follow(self, Place.deeds)
  }
}

extension IOOperation {
  /// A call of the handler has returned.
  func precedeInSanitizedOrder() {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(self, Place.calls) }
  }
}

extension IODescriptor {
  /// A barrier has returned.
  func precedeInSanitizedOrder() {
    if SanitizedOrder.isWatched { SanitizedOrder.precede(self, Place.barrier) }
  }
}
