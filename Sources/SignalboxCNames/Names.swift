// Names.swift: the types that the C-style names stand for. Alone: it passes on what Signalbox.swift passes on, and why.
// They are meant where the toolchain's Dispatch is imported too. Signalbox.swift tells why.
@_exported import SignalboxNames
