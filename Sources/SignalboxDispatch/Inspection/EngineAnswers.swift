// EngineAnswers.swift: what a program may ask of the engine: figures of threads and timers, what the kernel permits,
// reports of the main queue's long items. Figures of queues are QueueFigures.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The threads of one band at one moment.
package struct PoolFigure: Sendable {
  /// The classes that it serves.
  package var name: String
  /// Threads that there are, or are being made.
  package var threads: Int
  /// Of those, awake and not known to be blocked.
  package var running: Int
  /// Of those, asleep without work.
  package var idle: Int
  /// How many there may be.
  package var limit: Int
}

extension EngineFigures {
  /// The threads of each band; none before the first is made.
  package static func pools() -> [PoolFigure] {
    guard Pools.isMade, !Instruments.isForkedChild else { return [] }
    return Pools.all.map { pool in
      pool.use { pool in
        let state = pool.snapshot
        return PoolFigure(
          name: pool.band.name, threads: Int(state[PoolState.total]), running: Int(state[PoolState.running]),
          idle: Int(state[PoolState.idle]), limit: Int(pool.bound))
      }
    }
  }

  /// How many timers are armed.
  package static var armedTimers: Int { Instruments.isForkedChild ? 0 : ClockTimers.armedCount }
}

// MARK: what the kernel permits for the classes of service

// What is done with it is Bands.swift and Inversions.swift.

extension DispatchQoS {
  /// What the kernel permits this process to do for the classes of service.
  ///
  /// Thread safety: a value.
  ///
  /// ```swift
  /// let granted = DispatchQoS.granted
  /// print("threads for utility work have \(granted.niceness(of: .utility)) more niceness")
  /// if !granted.lowersThreads { print("all classes get the same share of the processors") }
  /// if !granted.raisesOwners { print("a wait for background work is helped in part only") }
  /// ```
  public struct Grants: Sendable, Equatable {
    /// Whether the threads of the lower classes stand behind others. It is permitted to every process, except where a filter of system
    /// calls forbids it. Threads of a process that runs under another policy than SCHED_OTHER and SCHED_BATCH are left as they are.
    public let lowersThreads: Bool
    /// Whether a thread of a lower class gets as much of a processor as others while more urgent work waits for its item. It takes
    /// CAP_SYS_NICE, or an RLIMIT_NICE that allows the niceness which the process has. Without it the lower classes' threads stand less
    /// far behind others, such a thread only gets its turns sooner, and long waits are counted: `unhelpedInversions`.
    public let raisesOwners: Bool
    fileprivate let byClass: [Int]

    fileprivate init(_ found: ThreadRank.Permissions) {
      lowersThreads = found.contains(.lowering)
      raisesOwners = found.contains(.raising)
      byClass = ServiceClass.all.map { found.contains(.lowering) ? $0.band.rank?.grantedNiceness ?? 0 : 0 }
    }

    /// The niceness that threads which run items of a class have in addition to that of the process's other threads.
    ///
    /// ```swift
    /// let granted = DispatchQoS.granted
    /// for qosClass in [DispatchQoS.QoSClass.userInitiated, .utility, .background] {
    ///   print(qosClass, granted.niceness(of: qosClass))
    /// }
    /// ```
    public func niceness(of qosClass: DispatchQoS.QoSClass) -> Int { byClass[ServiceClass(qosClass).rawValue] }
  }

  /// What the kernel permits this process to do for the classes of service.
  ///
  /// The answer is determined once, by the first thread of a lower class. If there was none yet, a short-lived thread is started to find out.
  ///
  /// ```swift
  /// let granted = DispatchQoS.granted
  /// print(granted.lowersThreads, granted.raisesOwners, granted.niceness(of: .background))
  /// ```
  ///
  /// - Complexity: O(1); the first call may make a thread. Thread safety: any thread.
  public static var granted: Grants { Grants(ThreadRank.permissions ?? foundByThread()) }

  private static func foundByThread() -> ThreadRank.Permissions {
    // The caller stays as it is: it might not get niceness back.
    guard let rank = Band.background.rank, ThreadRank.prepare() else { return [] }
    let done = DispatchSemaphore(value: 0)
    do {
      try Threads.spawn(name: "signalbox", stackSize: 128 * 1024) {
        rank.take()
        done.signal()
      }
    } catch { return [] }  // asked again by the next call
    done.wait()
    return ThreadRank.permissions ?? []
  }
}

// MARK: how long an item of the main queue may run

// What reports an item that runs longer is MainItemMonitor.swift (SignalboxObservers).

extension MainQueue {
  /// Reports each item of the main queue that runs longer than `limit`, once, while it runs, with the main thread's stack.
  /// `.never` turns these reports off.
  ///
  /// Reports go to standard error, to the file that `SIGNALBOX_REPORT_JSON` names, and to the handlers of `onReport(_:)`. The program
  /// goes on. Items of queues that target the main queue, handlers of sources and bodies of `sync` on it count as well.
  /// `SIGNALBOX_MAIN_LIMIT=MILLISECONDS` and `signalbox run --main-limit=MILLISECONDS` do the same from the start of the program.
  ///
  /// Reports are off when a program starts, and then cost nothing. While they are on, operations of queues and locks take some nanoseconds longer. The
  /// stack of a thread that sleeps is read without waking it; only a thread that runs is interrupted, by a signal.
  ///
  /// Thread safety: any thread. An item that runs already counts from the next one on.
  ///
  /// ```swift
  /// MainQueue.reportItems(longerThan: .milliseconds(100))
  /// DispatchQueue.main.async { print("reported, with the main thread's stack, if it takes longer than 100 ms") }
  /// MainQueue.reportItems(longerThan: .never)
  /// ```
  ///
  /// - Precondition: `limit` is from 1 ms to a day, or `.never`; otherwise the program is stopped.
  public static func reportItems(longerThan limit: DispatchTimeInterval) {
    if case .never = limit { return set(limit: 0) }
    let nanoseconds = limit.clampedNanoseconds
    guard nanoseconds > 0, MainLimit.range.contains(UInt64(nanoseconds)) else {
      Misuse.stop("MainQueue.reportItems(longerThan:) is given \(limit): give a time from 1 ms to a day, or .never")
    }
    set(limit: UInt64(nanoseconds))
  }

  /// In nanoseconds; 0: none.
  private static func set(limit nanoseconds: UInt64) {
    _ = ThreadSlot.owner()  // the environment has been read; what is printed here comes after it
    if nanoseconds != 0 { Instruments.set(Instruments.mainLimit, mask: Instruments.mainLimit) }
    Events.emit(.mainLimitSet, 0, nanoseconds)
    if nanoseconds == 0 { Instruments.set(0, mask: Instruments.mainLimit) }
  }
}
