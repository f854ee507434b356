// Imports.swift: moves all files of this module to Signalbox, although they import Foundation and Dispatch.
@_exported import SignalboxFoundation
