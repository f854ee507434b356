// TaskRows.swift: Swift's tasks and actors: on the pool and on queues, beside the toolchain's executors.
import BenchSupport

/// An actor on a queue. On the toolchain's Dispatch the queue is wrapped by hand, as its documentation shows.
private actor OnQueue {
  private let queue = ActorQueue(label: "bench.actor")
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  func call() { opaqueBody() }
}

/// An actor without an executor of its own.
private actor Plain {
  func call() { opaqueBody() }
}

/// Runs `body` in a task on what the rows' tasks prefer, and waits for its end.
private func inTask(_ body: @escaping @Sendable () async -> Void) {
  let done = KernelSemaphore()
  Task.detached(executorPreference: taskPreference) {
    await body()
    done.signal()
  }
  done.wait()
}

func taskRows() -> [Row] {
  [
    Row(
      "task-spawn", .tasks,
      "a task that prefers the pool, made and awaited; there, one without preference", bar: .notSlower, floor: .storedCall
    ) {
      .timed { count in
        inTask { for _ in 0..<count { await Task.detached(executorPreference: taskPreference) { opaqueBody() }.value } }
      }
    },
    Row(
      "task-spawn-timed", .tasks, "make a task and wait for it, while the times of tasks are noted",
      bar: .ownCostAnd(nanoseconds: 60, of: "task-spawn"), floor: .storedCall
    ) {
      .timed { count in
        counting {
          inTask { for _ in 0..<count { await Task.detached(executorPreference: taskPreference) { opaqueBody() }.value } }
        }
      }
    },
    Row(
      "task-actor", .tasks,
      "a call of a default actor, from a task that prefers the pool; there, nothing", bar: .none, floor: .storedCall
    ) {
      let actor = Plain()
      return .timed { count in inTask { for _ in 0..<count { await actor.call() } } }
    },
    Row(
      "task-actor-on-queue", .tasks, "a call of an actor on a queue, from a task that prefers the pool",
      bar: .ownCost(atMost: 1.5, of: "task-actor"), floor: .storedCall
    ) {
      let actor = OnQueue()
      return .timed { count in inTask { for _ in 0..<count { await actor.call() } } }
    },
    Row(
      "task-hop", .tasks, "from such a task into a default actor and back; there, from one without preference", bar: .none,
      floor: .storedCall
    ) {
      let actor = Plain()
      return .timed { count in
        inTask {
          for _ in 0..<count {
            await actor.call()
            opaqueBody()  // not the actor's: the task leaves it
          }
        }
      }
    },
    Row(
      "task-hop-to-queue", .tasks, "hop to an actor on a queue and back", bar: .ownCost(atMost: 1.5, of: "task-hop"),
      floor: .storedCall
    ) {
      let actor = OnQueue()
      return .timed { count in
        inTask {
          for _ in 0..<count {
            await actor.call()
            opaqueBody()  // not the actor's: the task leaves it
          }
        }
      }
    },
  ]
}
