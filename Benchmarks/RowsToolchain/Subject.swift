// Subject.swift: this half of the bench runs on the toolchain's own Dispatch; the rows are copied from RowsSignalbox.
@_exported import Dispatch
