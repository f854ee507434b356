// Subject.swift: the conformance text once more, on this package's library, in virtual time. What runs a body is Isolated.swift.
@_exported import Signalbox
import SignalboxSystem

/// Whether the names below come from this package.
let subjectIsOurs = true
