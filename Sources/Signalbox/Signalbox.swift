// Signalbox.swift: the umbrella: what `import Signalbox` brings, in place of `import Dispatch`.
@_exported import SignalboxDispatch
@_exported import SignalboxLocks
