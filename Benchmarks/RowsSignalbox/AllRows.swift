// AllRows.swift: the rows of this half of the bench, in the table's order.
import BenchSupport

/// All rows, on the library that this module is compiled on.
public func benchRows() -> [Row] {
  // A list and not a sum: the compiler needs long for a chain of additions.
  let parts: [[Row]] = [
    syncRows(), capturingRows(), contendedRows(), asyncRows(), backlogRows(), parallelRows(), signalRows(), objectRows(),
    wakeRows(), timeRows(),
    timerRows(), questionRows(), figureRows(), collectionRows(), dataRows(), sourceRows(), ioRows(), taskRows(),
  ]
  return parts.flatMap(\.self)
}
