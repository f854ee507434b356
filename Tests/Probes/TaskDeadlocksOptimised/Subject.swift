// Subject.swift: the program of TaskDeadlocks.swift on the toolchain's own library, optimised, to be run by `signalbox
// run`.
@_exported import Foundation

func adopt() {}
