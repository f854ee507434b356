// AllRows.swift: the rows of this half of the bench, in the table's order.
import BenchSupport

/// All rows, on the library that this module is compiled on.
public func benchRows() -> [Row] {
  syncRows() + contendedRows() + asyncRows() + backlogRows() + parallelRows() + signalRows() + objectRows() + wakeRows()
    + timeRows() + questionRows() + collectionRows()
}
