// Signalbox.swift: the umbrella: what `import Signalbox` brings, in place of `import Dispatch`.
@_exported import enum SignalboxDiagnosis.LockOrder
@_exported import struct SignalboxDiagnosis.LockOrderReport
@_exported import enum SignalboxDiagnosis.LockStatistics
@_exported import struct SignalboxDiagnosis.StallReport
@_exported import enum SignalboxDiagnosis.WaitWatch
@_exported import SignalboxDispatch
@_exported import SignalboxLocks
