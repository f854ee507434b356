// Signalbox.swift: the umbrella: what `import Signalbox` brings, in place of `import Dispatch`.
//
// What the toolchain's Dispatch has a rival of comes in two ways.
//
// - Passed on by its name, below. To the compiler a declaration that came by an import of its name wins over one that came with
//   a whole module, however many modules lie between. So `DispatchQueue` is Signalbox's in a file that imports Dispatch,
//   Foundation or XCTest too. This holds for what the named module itself declares.
// - As an alias, Names.swift, which `import class Signalbox.DispatchQueue` finds.
//
// Scripts/check-imports compiles all combinations of imports, and knows if a name is missing here.
@_exported import struct SignalboxDiagnosis.DeadlockReport
@_exported import struct SignalboxDiagnosis.DiagnosticReport
@_exported import enum SignalboxDiagnosis.LockOrder
@_exported import struct SignalboxDiagnosis.LockOrderReport
@_exported import enum SignalboxDiagnosis.LockStatistics
@_exported import struct SignalboxDiagnosis.LongItemReport
@_exported import class SignalboxDiagnosis.ReportHandler
@_exported import struct SignalboxDiagnosis.StallReport
@_exported import enum SignalboxDiagnosis.StallDetector
@_exported import SignalboxDispatch
@_exported import struct SignalboxDispatch.DispatchData
@_exported import struct SignalboxDispatch.DispatchDataIterator
@_exported import class SignalboxDispatch.DispatchGroup
@_exported import class SignalboxDispatch.DispatchIO
@_exported import class SignalboxDispatch.DispatchObject
@_exported import enum SignalboxDispatch.DispatchPredicate
@_exported import struct SignalboxDispatch.DispatchQoS
@_exported import class SignalboxDispatch.DispatchQueue
@_exported import class SignalboxDispatch.DispatchSemaphore
@_exported import class SignalboxDispatch.DispatchSource
@_exported import typealias SignalboxDispatch.DispatchSourceHandler
@_exported import protocol SignalboxDispatch.DispatchSourceProtocol
@_exported import protocol SignalboxDispatch.DispatchSourceRead
@_exported import protocol SignalboxDispatch.DispatchSourceSignal
@_exported import protocol SignalboxDispatch.DispatchSourceTimer
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataAdd
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataOr
@_exported import protocol SignalboxDispatch.DispatchSourceUserDataReplace
@_exported import protocol SignalboxDispatch.DispatchSourceWrite
@_exported import class SignalboxDispatch.DispatchSpecificKey
@_exported import struct SignalboxDispatch.DispatchTime
@_exported import enum SignalboxDispatch.DispatchTimeInterval
@_exported import enum SignalboxDispatch.DispatchTimeoutResult
@_exported import struct SignalboxDispatch.DispatchWallTime
@_exported import class SignalboxDispatch.DispatchWorkItem
@_exported import struct SignalboxDispatch.DispatchWorkItemFlags
@_exported import func SignalboxDispatch.dispatchMain
@_exported import func SignalboxDispatch.dispatchPrecondition
@_exported import SignalboxLocks
@_exported import enum SignalboxRecorder.Recorder
@_exported import enum SignalboxRecorder.RecorderError
