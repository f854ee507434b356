// Subject.swift: which library this build of the conformance text runs on. Its twin lies in ../Toolchain.
@_exported import Signalbox

/// Whether the names below come from this package; the twin says no.
let subjectIsOurs = true
