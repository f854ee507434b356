// Grants.swift: what the kernel permits this process to do for the classes of service, as programs may ask. What is done with it is
// Bands.swift and Inversions.swift.
import SignalboxSystem
import SignalboxWords

extension DispatchQoS {
  /// What the kernel permits this process to do for the classes of service.
  ///
  /// Thread safety: a value.
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
    public func niceness(of qosClass: DispatchQoS.QoSClass) -> Int { byClass[ServiceClass(qosClass).rawValue] }
  }

  /// What the kernel permits this process to do for the classes of service.
  ///
  /// The answer is determined once, by the first thread of a lower class. If there was none yet, a short-lived thread is started to find out.
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
