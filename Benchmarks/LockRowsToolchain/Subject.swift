// Subject.swift: this half of the lock rows runs on the toolchain's own Foundation; the rows are copied from LockRowsSignalbox.
@_exported import Foundation
