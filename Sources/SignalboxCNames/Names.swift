// Names.swift: the types that the C-style names stand for, so that they are meant where the toolchain's Dispatch is
// imported too. Signalbox.swift tells why.
@_exported import SignalboxNames
