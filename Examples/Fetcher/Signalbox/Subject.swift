// Subject.swift: the library this build of Fetcher stands on. All other files are compiled for the toolchain's library too.
@_exported import SignalboxFoundation

/// Signalbox, by one import in place of another.
let subject = Subject(program: "fetcher-signalbox", library: "Signalbox")
