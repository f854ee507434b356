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
