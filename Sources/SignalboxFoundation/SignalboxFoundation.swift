// SignalboxFoundation.swift: the umbrella: what `import SignalboxFoundation` brings, in place of `import Foundation`.
//
// Foundation's rivals are declared one module below, and come in the two ways that Signalbox.swift describes: passed on by their
// names here, and as aliases in Names.swift. Dispatch's come with Signalbox.
@_exported public import Signalbox
@_exported public import SignalboxClasses
@_exported public import class SignalboxClasses.BlockOperation
@_exported public import class SignalboxClasses.NSCondition
@_exported public import class SignalboxClasses.NSConditionLock
@_exported public import class SignalboxClasses.NSLock
@_exported public import class SignalboxClasses.NSRecursiveLock
@_exported public import class SignalboxClasses.NotificationQueue
@_exported public import class SignalboxClasses.Operation
@_exported public import class SignalboxClasses.OperationQueue
@_exported public import class SignalboxClasses.RunLoop
@_exported public import class SignalboxClasses.Thread
@_exported public import class SignalboxClasses.Timer
