// Subject.swift: which library this build of the conformance text runs on. Its twin lies in ../Signalbox.
@_exported import Dispatch

/// Whether the names below come from this package; the twin says yes.
let subjectIsOurs = false

/// The toolchain's library has nothing to switch.
let prepareSubject: Void = ()
