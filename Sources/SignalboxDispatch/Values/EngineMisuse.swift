// EngineMisuse.swift: the name by which this module stops and warns.
import SignalboxWaits
import SignalboxSystem

/// Stopping with evidence is SignalboxDiagnosis's; files that need nothing else of that do so by this name.
typealias Misuse = SignalboxSystem.Misuse
