// Subject.swift: which library this build of the probe runs on. Its twin lies in ../MainToolchain.
@_exported import Signalbox

/// Whether the names below come from this package; the twin says no.
let subjectIsOurs = true
