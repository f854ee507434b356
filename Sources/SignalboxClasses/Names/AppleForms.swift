// AppleForms.swift: members of Foundation's classes in the form that they have on Apple's platforms, where the
// toolchain's Foundation has another or none: also as arguments of formats. Its own form is where the class is.
public import Foundation
public import SignalboxNames

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
  /// Removes queued notifications that match `notification` in every property named by `coalesceMask`, which has the
  /// bits of `NotificationCoalescing`.
  public func dequeueNotifications(matching notification: Notification, coalesceMask: Int) {
    dequeueNotifications(matching: notification, coalesceMask: NotificationCoalescing(rawValue: UInt(bitPattern: coalesceMask)))
  }
}

extension QualityOfService {
  /// The number of the class on Apple's platforms, which is also that of its `qos_class_t`: for example `0x19` for
  /// `userInitiated`; -1 for `default`. `rawValue` is the toolchain's number, from 0 to 4.
  ///
  /// ```swift
  /// print(QualityOfService.userInitiated.appleRawValue == 0x19)  // true
  /// print(QualityOfService.default.appleRawValue)  // -1
  /// ```
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
  ///
  /// ```swift
  /// let quality = QualityOfService(appleRawValue: 0x11)  // a number from a file that a Mac has written
  /// print(quality == .utility)  // true
  /// ```
  public init?(appleRawValue: Int) {
    let all: [Self] = [.userInteractive, .userInitiated, .utility, .background, .default]
    guard let found = all.first(where: { $0.appleRawValue == appleRawValue }) else { return nil }
    self = found
  }
}

/// Runs `body`, as on Apple's platforms: Linux has no autorelease pools, and Swift's references are released at their
/// last use.
///
/// ```swift
/// let count = autoreleasepool { ["a", "b"].count }
/// print(count)  // 2
/// ```
///
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
/// - Note: Thread safety: any thread.
public func autoreleasepool<Failure: Error, Result: ~Copyable>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}

// MARK: objects as arguments of `NSLog` and of formats: `NSLog("%@", Thread.current)`

/// An object that `%@` formats as its description. Conform a class with `extension Song: CVarArgObject {}`.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.name = "resize"
/// print(String(format: "%@", queue))  // <OperationQueue: 0x…>{name = "resize", 0 operations}
/// ```
///
/// - Note: Thread safety: the description is made on the thread that formats; whether that is safe is up to the class.
public protocol CVarArgObject: AnyObject, _CVarArgObject {}

extension CVarArgObject {
  /// The text for `NSLog` and `String(format:)`.
  public var _cVarArgObject: any CVarArg { NSString(string: String(describing: self)) }
  /// The object's address, for readers that do not use the text.
  public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

extension Thread: CVarArgObject {}
extension Operation: CVarArgObject {}
extension OperationQueue: CVarArgObject {}
extension RunLoop: CVarArgObject {}
extension Timer: CVarArgObject {}
extension NotificationQueue: CVarArgObject {}
extension NSLock: CVarArgObject {}
extension NSRecursiveLock: CVarArgObject {}
extension NSCondition: CVarArgObject {}
extension NSConditionLock: CVarArgObject {}
extension DispatchObject: CVarArgObject {}
extension DispatchWorkItem: CVarArgObject {}
