// Work.swift: the kinds of work that ask for the main thread, and one run of a kind: which are run, on which thread. Who owns
// the main thread meanwhile is decided by the probes HostPlain and HostAsync, and by the tests' own process.
import Glibc
import SignalboxSystem

/// A kind of work.
public enum Work: String, CaseIterable, Sendable {
  case mainActorJob = "main-actor"
  case theirAsync = "their-async"
  case ourAsync = "our-async"
  case ourSync = "our-sync"
  case theirSync = "their-sync"
  /// All of them beside one another.
  case everything
  /// The others while an item of ours submits the next one forever; and the same of theirs.
  case besideOurs = "beside-ours"
  case besideTheirs = "beside-theirs"

  /// The kinds that are one way of submission.
  static let single: [Work] = [.mainActorJob, .theirAsync, .ourAsync, .ourSync, .theirSync]

  /// Asks for one run of `body` on the main thread. Returns before it has run.
  func submit(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .mainActorJob: Task { @MainActor in body() }
    case .theirAsync: Theirs.async(body)
    case .ourAsync: Ours.async(body)
    case .ourSync: Ours.onWorker { Ours.sync(body) }
    case .theirSync: Ours.onWorker { Theirs.sync(body) }
    case .everything, .besideOurs, .besideTheirs: for work in Work.single { work.submit(body) }
    }
  }

  /// As `submit`, from a worker of the other library where a worker is needed.
  func submitCrosswise(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .ourSync: Theirs.onWorker { Ours.sync(body) }
    case .theirSync: Theirs.onWorker { Theirs.sync(body) }
    default: submit(body)
    }
  }

  private var bodiesPerSubmission: Int { Work.single.contains(self) ? 1 : Work.single.count }

  /// Runs the kind many times: once from the calling thread, then from another one which lets each run end before the next, so
  /// that the main thread goes to sleep in between. Then calls `done` with what was seen, on that other thread.
  public func run(_ done: @escaping @Sendable (Tally) -> Void) {
    let (work, tally) = (self, Tally())
    if work == .besideOurs { breed(tally, Ours.async) }
    if work == .besideTheirs { breed(tally, Theirs.async) }
    submit { tally.note() }
    do {
      try Threads.spawn(name: "asking") {
        var isComplete = tally.wait(for: work.bodiesPerSubmission)
        for round in 0..<Tally.rounds where isComplete {
          if round % 2 == 0 { work.submit { tally.note() } } else { work.submitCrosswise { tally.note() } }
          isComplete = tally.wait(for: work.bodiesPerSubmission)
        }
        tally.end()
        done(tally)
      }
    } catch { fatalError("no thread for a probe") }
  }

  /// How many bodies a whole run has.
  public var bodies: Int { (Tally.rounds + 1) * bodiesPerSubmission }
}

/// An item that submits the next one until the run has ended.
@Sendable private func breed(_ tally: Tally, _ async: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
  if !tally.hasEnded { async { breed(tally, async) } }
}

// SAFETY: the semaphore is the C library's, for any thread; everything else is atomic.
/// Where the bodies of a run ran.
public final class Tally: @unchecked Sendable {
  static let rounds = 100
  /// How long one round may take.
  static let patience = 120
  private let onMain = Atomic64(0), elsewhere = Atomic64(0), ended = Atomic32(0)
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }
  deinit { semaphore.deallocate() }

  /// Called by each body: everything that is to hold on the main thread holds, whoever owns it; or the process ends here.
  func note() {
    MainActor.assumeIsolated {}
    Ours.checkIsOnMain()
    Theirs.checkIsOnMain()
    if Threads.isMain { _ = onMain.addSeqCst(1) } else { _ = elsewhere.addSeqCst(1) }
    sem_post(semaphore)
  }

  /// Waits until `count` more bodies have run; false when that takes too long.
  func wait(for count: Int) -> Bool {
    var limit = Glibc.timespec(tv_sec: time(nil) + Tally.patience, tv_nsec: 0)
    for _ in 0..<count {
      while sem_timedwait(semaphore, &limit) != 0 { guard errno == EINTR else { return false } }
    }
    return true
  }

  func end() { ended.storeRelease(1) }
  var hasEnded: Bool { ended.loadAcquire() == 1 }

  /// Where they ran.
  public var sentence: String { "\(onMain.loadSeqCst()) on the first thread, \(elsewhere.loadSeqCst()) on another" }
  /// How many ran.
  public var count: Int { Int(onMain.loadSeqCst() + elsewhere.loadSeqCst()) }
}
