// Subject.swift: the text on Foundation's classes once more, on this package's, in virtual time. What runs a body is ../Dispatch/Isolated.swift.
@_exported import SignalboxFoundation
import SignalboxSystem

/// Whether the names below come from this package.
let subjectIsOurs = true
