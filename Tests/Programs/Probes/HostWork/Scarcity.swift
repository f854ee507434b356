// Scarcity.swift: a process that has no descriptor left, for a while.
import Glibc
import SignalboxSystem

/// All descriptors that the process may have.
public enum Scarcity {
  // SAFETY: used by one thread at a time: who takes them hands giving back to at most one other.
  nonisolated(unsafe) private static var taken: [Int32] = []
  private static let limit: rlim_t = 64

  /// Takes all that are left, of 64.
  public static func takeAll() {
    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { fatalError("no limit") }
    while true {
      let copy = dup(STDIN_FILENO)
      if copy < 0 { return }
      taken.append(copy)
    }
  }

  /// Gives them back.
  public static func giveBack() {
    for descriptor in taken { close(descriptor) }
    taken = []
  }
}

/// Items for our main queue that are submitted while no descriptor is left: from the main thread, and from a worker.
public enum ScarceWork {
  private static let each = 10
  private static let ran = Atomic32(0)

  /// Submits them all; the last one prints how many ran, and ends the program.
  public static func submit() {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    nonisolated(unsafe) let submitted = semaphore
    for _ in 0..<each { Ours.async { note() } }
    Ours.onWorker {
      for _ in 0..<each { Ours.async { note() } }
      sem_post(submitted)
    }
    while sem_wait(submitted) != 0 {}
  }

  private static func note() {
    guard ran.addSeqCst(1) + 1 == 2 * each else { return }
    print("all ran")
    exit(0)
  }
}
