// SignalboxClasses.swift: what the classes stand on, and pass on. Programs import SignalboxFoundation, which passes them on by
// name.
@_exported public import Foundation
@_exported public import SignalboxNames
