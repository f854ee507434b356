// MovedNames.swift: the names that Signalbox has in place of the toolchain's. Scripts/check-imports compares them with what both
// libraries declare.

/// The names that mean another library's after a move.
public enum MovedNames {
  /// Types of Dispatch.
  public static let dispatchTypes = [
    "DispatchData", "DispatchDataIterator", "DispatchGroup", "DispatchIO", "DispatchObject", "DispatchPredicate", "DispatchQoS",
    "DispatchQueue", "DispatchSemaphore", "DispatchSource", "DispatchSourceHandler", "DispatchSourceProtocol",
    "DispatchSourceRead",
    "DispatchSourceSignal", "DispatchSourceTimer", "DispatchSourceUserDataAdd", "DispatchSourceUserDataOr",
    "DispatchSourceUserDataReplace", "DispatchSourceWrite", "DispatchSpecificKey", "DispatchTime", "DispatchTimeInterval",
    "DispatchTimeoutResult", "DispatchWallTime", "DispatchWorkItem", "DispatchWorkItemFlags",
  ]
  /// Functions of Dispatch.
  public static let dispatchFunctions = ["dispatchMain", "dispatchPrecondition"]
  /// Types of Foundation.
  public static let foundationTypes = [
    "BlockOperation", "NSCondition", "NSConditionLock", "NSLock", "NSRecursiveLock", "NotificationQueue", "Operation",
    "OperationQueue", "RunLoop", "Thread", "Timer",
  ]
  /// Members and labels that show that a file works with times or queues although it names none of their types.
  static let telling = ["asyncAfter", "deadline", "wallDeadline", "timeout", "now"]

  static let types = Set(dispatchTypes + foundationTypes)
  static let all = types.union(dispatchFunctions)
  static let ofDispatch = Set(dispatchTypes + dispatchFunctions)
  /// What the reader is asked for.
  static let ofInterest = all.union(telling)
}
