// AppleForms.swift: members of Foundation's classes in the form that they have on Apple's platforms, where the toolchain's
// Foundation has another. Its own form is where the class is.
public import Foundation

extension Thread {
  /// The process's first thread: `mainThread`, as Swift spells it on Apple's platforms.
  ///
  /// - Note: Thread safety: any thread. The instance method of this name is `Thread.main(_:)` where both would do.
  public class var main: Thread { mainThread }
}

extension RunLoop {
  /// As `run(mode:before:)`; also when there is nothing to wait for it returns at once.
  ///
  /// - Precondition: called on the loop's thread: the program is stopped otherwise.
  @available(*, noasync, message: "a task must not block its thread")
  public final func acceptInput(forMode mode: Mode, before limitDate: Date) {
    acceptInput(forMode: mode.rawValue, before: limitDate)
  }
}

extension NotificationQueue {
  /// Takes queued notifications back that agree with `notification` in what the bits of `coalesceMask` say, those of
  /// `NotificationCoalescing`: in all of it.
  public func dequeueNotifications(matching notification: Notification, coalesceMask: Int) {
    dequeueNotifications(matching: notification, coalesceMask: NotificationCoalescing(rawValue: UInt(bitPattern: coalesceMask)))
  }
}

extension QualityOfService {
  /// The number that Apple's platforms give the class, `0x19` for `userInitiated` say, which is also that of its `qos_class_t`;
  /// `rawValue` is the toolchain's number, from 0 to 4. -1 for `default`.
  public var appleRawValue: Int {
    switch self {
    case .userInteractive: 0x21
    case .userInitiated: 0x19
    case .utility: 0x11
    case .background: 0x09
    case .default: -1
    @unknown default: -1
    }
  }

  /// The class that Apple's platforms give that number; nil if they give it to none.
  public init?(appleRawValue: Int) {
    let all: [Self] = [.userInteractive, .userInitiated, .utility, .background, .default]
    guard let found = all.first(where: { $0.appleRawValue == appleRawValue }) else { return nil }
    self = found
  }
}
