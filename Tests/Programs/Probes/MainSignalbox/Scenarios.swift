// Scenarios.swift: the table of scenarios. Each returns to dispatchMain() unless it ends the program itself.

/// What can be run, by name.
let scenarios: [String: @Sendable () -> Void] = [
  "order": order,
  "from-workers": fromWorkers,
  "nested": nested,
  "barriers": barriers,
  "sync": syncFromWorker,
  "sync-many": syncFromManyWorkers,
  "after": after,
  "after-far": afterFar,
  "notify": notify,
  "work-items": workItems,
  "target": target,
  "target-sync": targetSync,
  "suspend": suspension,
  "specific": specific,
  "before-main": beforeMain,
  "perform": performOnMain,
  "exit-busy": exitWithBusyWorkers,
  "exit-from-worker": exitFromWorker,
  "exit-without-main": exitWithoutMain,
  "exit-handler": exitHandler,
]
