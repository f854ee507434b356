// Subject.swift: which library this build of the text on Foundation's locks runs on. Its twin lies in ../Toolchain.
import Glibc
@_exported import SignalboxFoundation
import SignalboxSystem

/// Whether the names below come from this package; the twin says no.
let subjectIsOurs = true

/// Switches every instrument on when the environment asks for it: all that is tested holds on the instrumented paths too.
let prepareSubject: Void = {
  if getenv("SIGNALBOX_INSTRUMENTS") != nil { Instruments.set(0xFF) }
}()
