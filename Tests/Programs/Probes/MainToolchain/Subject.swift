// Subject.swift: which library this build of the probe runs on. Its twin lies in ../MainSignalbox.
@_exported import Dispatch

/// Whether the names below come from this package; the twin says yes.
let subjectIsOurs = false
