// Names.swift: the second cure for files that must import both libraries: this file imports SignalboxFoundation alone, and says
// for all files of the module whose a name is.
import SignalboxFoundation

typealias BlockOperation = SignalboxFoundation.BlockOperation
typealias DispatchGroup = SignalboxFoundation.DispatchGroup
typealias DispatchQueue = SignalboxFoundation.DispatchQueue
typealias DispatchTime = SignalboxFoundation.DispatchTime
typealias NSLock = SignalboxFoundation.NSLock
typealias Operation = SignalboxFoundation.Operation
typealias OperationQueue = SignalboxFoundation.OperationQueue
typealias Thread = SignalboxFoundation.Thread
