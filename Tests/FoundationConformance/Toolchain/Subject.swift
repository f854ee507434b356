// Subject.swift: which library this build of the text on Foundation's locks runs on. Its twin lies in ../Signalbox.
@_exported import Foundation

/// Whether the names below come from this package; the twin says yes.
let subjectIsOurs = false

/// The toolchain's library has nothing to switch.
let prepareSubject: Void = ()
