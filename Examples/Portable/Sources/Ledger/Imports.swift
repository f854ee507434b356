// Imports.swift: the module's one import of queues, locks and operations. All other files import nothing.
#if canImport(SignalboxFoundation)
@_exported import SignalboxFoundation
#else
@_exported import Foundation
#endif
