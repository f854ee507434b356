// ScenarioTable.swift: every scenario of the main-queue probe with what it must print and return.

/// The lines of Signalbox; `Scenario.shared` says which of them hold for the toolchain's library as well.
let scenarios: [Scenario] = [
  Scenario(
    name: "order", sentence: "Items submitted before dispatchMain() wait for it and run in order, on the main thread",
    lines: ["submitted", "item 0", "item 1", "item 2", "item 3", "item 4", "thread: item on main", "end"]),
  Scenario(
    name: "from-workers", sentence: "Items of four threads all run, each thread's in its order",
    lines: ["ran [5000, 5000, 5000, 5000]", "end"]),
  Scenario(
    name: "nested", sentence: "An item that a main-queue item submits runs after it",
    lines: ["outer", "inner", "last", "end"]),
  Scenario(
    name: "barriers", sentence: "Barriers, services and flags change no order",
    lines: ["first", "barrier", "utility", "last", "end"]),
  Scenario(
    name: "sync", sentence: "A sync from a worker takes its turn, runs on the main thread, returns and throws",
    lines: ["before", "thread: sync on main", "answer 42", "error always", "work item", "end"]),
  Scenario(
    name: "sync-many", sentence: "Syncs of several threads are inside one at a time",
    lines: ["counted 2000", "end"]),
  Scenario(
    name: "after", sentence: "Delayed items run on the main thread, in the order of their deadlines, none early",
    lines: [
      "wall", "after 200, early: false", "thread: delayed on main", "after 400, early: false",
      "after 600, early: false", "end",
    ]),
  Scenario(
    name: "after-far", sentence: "A delayed item wakes a sleeping main thread; cancelled and endless ones do not run",
    lines: ["woken", "end"]),
  Scenario(
    name: "notify", sentence: "A group of items on other queues tells the main queue",
    lines: ["told after 100", "thread: notification on main", "again", "end"]),
  Scenario(
    name: "work-items", sentence: "Work items run, are waited for, notify at completion, and do not run when cancelled",
    lines: ["item", "told", "waited", "end"]),
  Scenario(
    name: "target", sentence: "Queues that target the main queue run on the main thread, in turn with its items",
    lines: ["counted 3000", "thread: item on main", "end"]),
  Scenario(
    name: "target-sync", sentence: "A sync from a worker onto a queue that targets the main queue runs on the main thread",
    lines: ["thread: sync on main", "answer 1", "thread: sync through two on main", "end"]),
  Scenario(
    name: "suspend", sentence: "Suspending and resuming the main queue has no effect",
    lines: ["ran", "sync", "last", "end"]),
  Scenario(
    name: "specific", sentence: "Values and conditions of the main queue hold in its items and those of its sources",
    lines: ["set: main", "item: main", "source: main", "worker: nothing", "end"]),
  Scenario(
    name: "before-main", sentence: "The main thread is on the main queue before it calls dispatchMain()",
    lines: ["value 3", "label com.apple.main-thread, other other", "end"]),
  Scenario(
    name: "perform", sentence: "A main-queue item may use concurrentPerform and wait for workers",
    lines: ["counts [25, 25, 25, 25]", "worker", "end"]),
  Scenario(
    name: "exit-busy", sentence: "exit() from a main-queue item ends the process though workers are busy",
    lines: ["end"], status: 7),
  Scenario(
    name: "exit-from-worker", sentence: "exit() from a worker ends the process while dispatchMain() sleeps",
    lines: ["end"], status: 8),
  Scenario(
    name: "exit-without-main", sentence: "exit() from the main thread ends the process without dispatchMain()",
    lines: ["end"]),
  Scenario(
    name: "exit-handler", sentence: "A handler of exit() may still use queues",
    lines: ["end", "handler: 5", "late item"], status: 9),
]
