// AppleForms.swift: members of Foundation's classes in the form that they have on Apple's platforms, where the toolchain's
// Foundation has another. Its own form is where the class is.
public import Foundation

extension Thread {
  /// The process's first thread: Swift's spelling of `mainThread` on Apple's platforms.
  ///
  /// - Note: Thread safety: any thread. Where the instance method of the same name would also fit, that method is
  ///   `Thread.main(_:)`.
  public class var main: Thread { mainThread }
}

extension RunLoop {
  /// Like `run(mode:before:)`; also returns at once if there is nothing to wait for.
  ///
  /// - Precondition: called on the loop's thread; otherwise the program is stopped.
  @available(*, noasync, message: "a task must not block its thread")
  public final func acceptInput(forMode mode: Mode, before limitDate: Date) {
    acceptInput(forMode: mode.rawValue, before: limitDate)
  }
}

extension NotificationQueue {
  /// Removes queued notifications that match `notification` in every property named by `coalesceMask`, which has the bits of
  /// `NotificationCoalescing`.
  public func dequeueNotifications(matching notification: Notification, coalesceMask: Int) {
    dequeueNotifications(matching: notification, coalesceMask: NotificationCoalescing(rawValue: UInt(bitPattern: coalesceMask)))
  }
}

extension QualityOfService {
  /// The number of the class on Apple's platforms, which is also that of its `qos_class_t`: for example `0x19` for
  /// `userInitiated`; -1 for `default`. `rawValue` is the toolchain's number, from 0 to 4.
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

  /// Creates the class that has this number on Apple's platforms; nil if none has it.
  public init?(appleRawValue: Int) {
    let all: [Self] = [.userInteractive, .userInitiated, .utility, .background, .default]
    guard let found = all.first(where: { $0.appleRawValue == appleRawValue }) else { return nil }
    self = found
  }
}
