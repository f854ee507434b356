// FormatArguments.swift: objects as arguments of `NSLog` and of formats, as on Apple's platforms: `NSLog("%@", Thread.current)`.
import Foundation
public import SignalboxNames

/// An object that `%@` formats as its description. Conform a class with `extension Song: FormatArgument {}`.
/// - Note: Thread safety: the description is made on the thread that formats; whether that is safe is up to the class.
public protocol FormatArgument: AnyObject, _CVarArgObject {}

extension FormatArgument {
  /// The text for `NSLog` and `String(format:)`.
  public var _cVarArgObject: any CVarArg { NSString(string: String(describing: self)) }
  /// The object's address, for readers that do not use the text.
  public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

extension Thread: FormatArgument {}
extension Operation: FormatArgument {}
extension OperationQueue: FormatArgument {}
extension RunLoop: FormatArgument {}
extension Timer: FormatArgument {}
extension NotificationQueue: FormatArgument {}
extension NSLock: FormatArgument {}
extension NSRecursiveLock: FormatArgument {}
extension NSCondition: FormatArgument {}
extension NSConditionLock: FormatArgument {}
extension DispatchObject: FormatArgument {}
extension DispatchWorkItem: FormatArgument {}
