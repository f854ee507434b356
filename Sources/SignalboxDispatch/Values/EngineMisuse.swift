// EngineMisuse.swift: the name by which this module stops and warns. Alone, because all rooms go by it, and it is no
// value of the program's.
import SignalboxWaits
import SignalboxSystem

/// Stopping with evidence is SignalboxDiagnosis's; files that need nothing else of that do so by this name.
typealias Misuse = SignalboxSystem.Misuse
