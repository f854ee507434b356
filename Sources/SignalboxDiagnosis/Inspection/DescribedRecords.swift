// DescribedRecords.swift: what this module's words are called in the table that describes the process to whoever reads its memory. The table
// is ProcessDescription.swift (SignalboxSystem); queues, work items and operations are added by their layers when their places are learnt.
import SignalboxSystem
import SignalboxWaits

// The loader calls what stands in this section. Addresses alone are written: nothing is there yet.
@used @section(".init_array")
private let description: @convention(c) @Sendable () -> Void = {
  ProcessDescription.write(.mainThread, WaitRecord.mainThreadPlace)
  ProcessDescription.write(.ownThreads, OwnThreads.place)
}
