// Signalbox.swift: the umbrella: what `import Signalbox` brings, in place of `import Dispatch`.
//
// What the toolchain's Dispatch has a rival of comes in two ways.
//
// - Passed on by its name, below and in SignalboxNames. To the compiler a declaration that came by an import of its name wins over one that came with
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
@_exported import enum SignalboxDiagnosis.Tasks
@_exported import SignalboxLocks
@_exported import SignalboxNames
@_exported import enum SignalboxRecorder.Recorder
@_exported import enum SignalboxRecorder.RecorderError
