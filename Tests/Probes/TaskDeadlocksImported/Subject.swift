// Subject.swift: the program of ../TaskDeadlocks with Signalbox in it, on whose pool its tasks run.
@_exported import SignalboxFoundation

func adopt() { Signalbox.adoptConcurrency() }
