// TruthTests.swift: under the explorer each function of the C library returns what it returns without, a point comes before it, and
// programs that are right raise no alarm: locks that are owned, owners that die, C++.
import CSignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxExplorer
@testable import SignalboxLaunch

@Suite("What locks know of their owners", .serialized) struct OwnerTests {
  @Test(
    "The main thread has what it took before its first thread, and what is meant for it comes to it",
    arguments: [
      "main-has-recursive", "main-has-inheriting", "main-has-checked", "main-writes", "asks-main", "main-dies-early",
      "main-dies-late",
    ])
  func mainThread(_ word: String) throws { try isRight(word) }

  @Test(
    "Who waits for a robust mutex learns that its owner has died",
    arguments: [
      "owner-dies", "checked-owner-dies", "inheriting-owner-dies", "owner-dies-while-waited", "is-lost",
    ])
  func robust(_ word: String) throws { try isRight(word) }

  @Test("Readers come first, unless a lock was made for writers", arguments: ["readers-first", "writer-gives-up"])
  func readers(_ word: String) throws { try isRight(word) }

  @Test("Where writers come first, who reads twice may wait for itself") func writers() throws {
    let call = try Call("--seed 2", "writers-first")
    #expect(call.status == 1 && call.text.contains("failure: deadlock"), "\(call.text)")
    #expect(call.text.contains("waits to read-lock rwlock 1, which it holds itself"), "\(call.text)")
  }

  @Test("A cycle goes through locks that were got by trying") func tries() throws {
    let call = try Call("--seed 2", "cycle-of-tries")
    #expect(call.status == 1 && call.text.contains("failure: deadlock"), "\(call.text)")
    for words in ["which thread 3 holds", "which thread 2 holds", "holds rwlock", "holds spin lock"] {
      #expect(call.text.contains(words), "\(words): \(call.text)")
    }
  }

  private func isRight(_ word: String) throws {
    let call = try Call("--runs 300 --seed 2", word)
    #expect(call.status == 0 && call.text.contains("explored 300 schedules"), "\(call.text)")
    #expect(call.text.contains("(none failed)"), "\(call.text)")
  }
}

@Suite("Programs in C++", .serialized) struct CxxTests {
  @Test(
    "What is right is right in every schedule",
    arguments: ["held-early", "mutexes", "conditions", "once-throws", "once-within", "counted", "futures", "stops"])
  func right(_ word: String) throws {
    let call = try Call("--runs 300 --seed 2", cxx: word)
    #expect(call.status == 0 && call.text.contains("explored 300 schedules"), "\(call.text)")
    #expect(call.text.contains("(none failed)"), "\(call.text)")
  }

  @Test("What is wrong is found, with its lines", arguments: ["abba", "lost-update"]) func wrong(_ word: String) throws {
    let call = try Call("--seed 1", cxx: word)
    #expect(call.status == 1 && call.text.contains("main.cpp:"), "\(call.text)")
    let again = try Call("--replay \(try #require(call.token, "\(call.text)"))", cxx: word)
    #expect(again.status == 1 && !again.text.contains("not the run"), "\(again.text)")
  }
}

@Suite("Calls under the explorer", .serialized) struct CallTests {
  private let folder: WorkingFolder
  private var before: String { "PROBE_LOCKED='\(folder.path)/locked'" }
  init() throws {
    folder = try WorkingFolder()
    #expect(try Call("touch '\(folder.path)/locked'", in: folder).status == 0)
  }

  private static let words = ["calls-locks", "calls-held", "calls-futexes", "calls-descriptors", "calls-processes"]

  /// Names of the calls, in order, and what they return without the explorer.
  private func natural(_ word: String) throws -> [Substring] {
    let file = "\(folder.path)/\(word)"
    let call = try Call("\(before) '\(Call.folder())ExploreProbe' \(word) | sed 1d >'\(file)'", in: folder)
    #expect(call.status == 0)
    return folder.text(word).split(separator: "\n")
  }

  @Test("They return what they return without it, in every schedule", arguments: words) func results(_ word: String) throws {
    #expect(try natural(word).count > 10)
    let call = try Call("--runs 100", word, in: folder, before: "\(before) PROBE_EXPECTED='\(folder.path)/\(word)'")
    #expect(call.status == 0 && call.text.contains("explored 100 schedules"), "\(call.text)")
  }

  @Test("Before each comes a point of its kind", arguments: words) func points(_ word: String) throws {
    let names = try natural(word).map { $0.split(separator: " ").dropLast(2).joined(separator: " ") }
    let environment = EnvironmentList(ProcessInput.environment + [RawString("PROBE_LOCKED=\(folder.path)/locked")])
    let launch = try Launch([RawString(Call.folder() + "ExploreProbe"), RawString(word)], environment)
    let server = try ExploreServer.start(
      launch, preload: Library.beside(Explorer.preloadName).path, processor: 0, processors: 4, wall: 1_800_000_000,
      isFixed: true)
    let result = try #require(server.replay([], flags: SBX_API_POINTS.rawValue, wall: 1_800_000_000))
    #expect(result.failure == nil, "\(result.words): \(result.output)")
    let steps = (1...result.outcome.steps).compactMap { sbx_step_at(server.shared, $0)?.pointee }.filter { $0.thread == 1 }
    let mark = try #require(steps.first { UInt32($0.kind) == SBX_SEMAPHORE_POST.rawValue })
    let marks = steps.indices.filter { steps[$0].kind == mark.kind && steps[$0].object == mark.object }
    #expect(marks.count == names.count)
    for (name, mark) in zip(names, marks) {
      guard let wanted = Self.kinds[name] else { continue }
      let kind = mark + 1 < steps.count ? UInt32(steps[mark + 1].kind) : 0
      #expect(kind == wanted.rawValue, "\(name): \(PointKind.words(kind, object: 0))")
    }
    #expect(names.filter(Self.outside.contains).count <= result.outcome.outside)
    // What has no kind here is asked for its result alone: it learns before it waits that it need not, or never waits.
    let unknown = Set(names).filter { Self.kinds[$0] == nil && !Self.outside.contains($0) && !$0.contains(" ") }
    #expect(unknown.isSubset(of: Self.pointless), "\(unknown)")
  }

  private static let pointless: Set = [
    "pipe", "pipe2", "socketpair", "socket", "eventfd", "epoll_ctl", "timerfd_settime", "barriers",
  ]
  /// They go out of sight, which is no step where nobody else can go on.
  private static let outside: Set = ["connect", "waitpid", "wait", "wait3", "wait4"]
  private static let kinds: [String: sbx_kind] = [
    "pthread_mutex_lock": SBX_LOCK, "pthread_mutex_trylock": SBX_TRYLOCK, "pthread_mutex_timedlock": SBX_TIMEDLOCK,
    "pthread_mutex_clocklock": SBX_TIMEDLOCK, "pthread_mutex_unlock": SBX_UNLOCK, "mtx_lock": SBX_LOCK,
    "mtx_trylock": SBX_TRYLOCK, "mtx_timedlock": SBX_TIMEDLOCK, "mtx_unlock": SBX_UNLOCK,
    "pthread_rwlock_rdlock": SBX_READ_LOCK, "pthread_rwlock_wrlock": SBX_WRITE_LOCK,
    "pthread_rwlock_tryrdlock": SBX_TRYLOCK, "pthread_rwlock_trywrlock": SBX_TRYLOCK,
    "pthread_rwlock_timedrdlock": SBX_READ_LOCK, "pthread_rwlock_timedwrlock": SBX_WRITE_LOCK,
    "pthread_rwlock_clockrdlock": SBX_READ_LOCK, "pthread_rwlock_clockwrlock": SBX_WRITE_LOCK,
    "pthread_rwlock_unlock": SBX_RW_UNLOCK, "pthread_spin_lock": SBX_SPIN_LOCK, "pthread_spin_trylock": SBX_TRYLOCK,
    "pthread_spin_unlock": SBX_SPIN_UNLOCK, "sem_wait": SBX_SEMAPHORE_WAIT, "sem_trywait": SBX_TRYLOCK,
    "sem_timedwait": SBX_SEMAPHORE_WAIT, "sem_clockwait": SBX_SEMAPHORE_WAIT, "sem_post": SBX_SEMAPHORE_POST,
    "pthread_cond_timedwait": SBX_CONDITION_WAIT, "pthread_cond_clockwait": SBX_CONDITION_WAIT,
    "cnd_timedwait": SBX_CONDITION_WAIT, "pthread_cond_signal": SBX_CONDITION_SIGNAL, "cnd_signal": SBX_CONDITION_SIGNAL,
    "pthread_cond_broadcast": SBX_CONDITION_BROADCAST, "cnd_broadcast": SBX_CONDITION_BROADCAST, "pthread_once": SBX_ONCE,
    "pthread_barrier_wait": SBX_BARRIER, "flockfile": SBX_FILE_LOCK, "ftrylockfile": SBX_TRYLOCK,
    "funlockfile": SBX_FILE_UNLOCK, "pthread_create": SBX_CREATE, "pthread_join": SBX_JOIN, "pthread_tryjoin_np": SBX_JOIN,
    "pthread_timedjoin_np": SBX_JOIN, "pthread_clockjoin_np": SBX_JOIN, "pthread_detach": SBX_DETACH,
    "thrd_create": SBX_CREATE, "thrd_join": SBX_JOIN, "FUTEX_WAIT": SBX_FUTEX_WAIT, "FUTEX_WAIT_BITSET": SBX_FUTEX_WAIT,
    "FUTEX_WAKE": SBX_FUTEX_WAKE, "FUTEX_WAKE_BITSET": SBX_FUTEX_WAKE, "FUTEX_REQUEUE": SBX_FUTEX_WAKE,
    "FUTEX_CMP_REQUEUE": SBX_FUTEX_WAKE, "FUTEX_WAKE_OP": SBX_FUTEX_WAKE, "FUTEX_LOCK_PI": SBX_FUTEX_LOCK,
    "FUTEX_TRYLOCK_PI": SBX_TRYLOCK, "FUTEX_UNLOCK_PI": SBX_FUTEX_UNLOCK, "poll": SBX_POLL, "ppoll": SBX_POLL,
    "select": SBX_POLL, "pselect": SBX_POLL, "epoll_wait": SBX_POLL, "epoll_pwait": SBX_POLL, "epoll_pwait2": SBX_POLL,
    "read": SBX_IO, "readv": SBX_IO, "recv": SBX_IO, "recvfrom": SBX_IO, "recvmsg": SBX_IO, "recvmmsg": SBX_IO,
    "write": SBX_IO, "writev": SBX_IO, "send": SBX_IO, "sendto": SBX_IO, "sendmsg": SBX_IO, "sendmmsg": SBX_IO,
    "eventfd_read": SBX_IO, "eventfd_write": SBX_IO, "accept4": SBX_IO, "sleep": SBX_SLEEP,
    "usleep": SBX_SLEEP, "nanosleep": SBX_SLEEP, "clock_nanosleep": SBX_SLEEP, "thrd_sleep": SBX_SLEEP,
    "sched_yield": SBX_YIELD, "thrd_yield": SBX_YIELD, "flock": SBX_FILE_LOCK, "fcntl": SBX_FILE_LOCK,
    "lockf": SBX_FILE_LOCK,
  ]

  @Test("Barriers are known whatever their number") func barriers() throws {
    let call = try Call("--runs 50", "meetings")
    #expect(call.status == 0 && call.text.contains("(none failed)"), "\(call.text)")
  }

  @Test("A file that another thread has locked is waited for") func files() throws {
    let call = try Call("--runs 100", "locks-file", in: folder, before: before)
    #expect(call.status == 0 && call.text.contains("explored 100 schedules"), "\(call.text)")
    #expect(!call.text.contains("given up"), "\(call.text)")
  }
}
