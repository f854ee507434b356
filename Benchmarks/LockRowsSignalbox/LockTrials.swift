// LockTrials.swift: how evenly the locks serve sixteen threads that want them all the time.
import BenchSupport

private let threads = 16

/// All trials, on the library that this module is compiled on.
public func lockTrials() -> [LockTrial] {
  [
    LockTrial(
      "lock-evenness-nslock", "NSLock, wanted by 16 threads all the time", threads: threads, longestWaitMilliseconds: 100,
      peers: LockTrialPeer.locks(threads: threads)
    ) { NSLockEntry() },
    LockTrial(
      "lock-evenness-unfair", "os_unfair_lock (beside it: pthread_mutex), wanted by 16 threads all the time",
      threads: threads, longestWaitMilliseconds: 100
    ) { UnfairEntry() },
  ]
}
