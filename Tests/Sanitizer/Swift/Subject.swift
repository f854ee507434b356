// Subject.swift: which library this build of the cases stands on: the toolchain's, and so ours under `signalbox run`. All other files are
// compiled once more for ours, imported (Tests/Programs/Probes/Sanitized).
@_exported import Foundation

/// The twin has more.
let ownCases: [Case] = []
