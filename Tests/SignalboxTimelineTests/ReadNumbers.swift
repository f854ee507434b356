// ReadNumbers.swift: numbers that were read beside those that a test has written.
import SignalboxSystem

func == (read: ReadNumber, written: UInt64) -> Bool { read.bits == written }
func != (read: ReadNumber, written: UInt64) -> Bool { read.bits != written }
func == (read: ReadNumber?, written: UInt64) -> Bool { read?.bits == written }
