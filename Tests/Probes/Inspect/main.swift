// main.swift: a program to be inspected: what it does is known to each item, so that tests can compare. It says "ready" once it does that,
// and ends in order by SIGTERM.
//   InspectProbe busy           items on two queues, without end; one queue suspended with three items, one never activated
//   InspectProbe deadlock       two serial queues whose items wait for each other's lock, reported and not stopped
//   InspectProbe main           an item of the main queue that stays
//   InspectProbe jobs           a job of an actor lies in a suspended queue
//   InspectProbe asleep         every worker of a pool of two sleeps in a semaphore, with items left; the main thread in a group
//   InspectProbe backlog        a queue that has 5,000 items at once, each of which takes a millisecond or more
//   InspectProbe events         the event thread is kept from going on; timers are armed, a descriptor and a signal monitored
//   InspectProbe alarms         timers and monitored descriptors come and go on two threads; twenty timers, and a descriptor, stay
//   InspectProbe churn          queues come and go by the thousand on two threads; twenty stay
//   InspectProbe crowd Q T      Q queues with an item each in a suspended one, T threads that wait for a semaphore
//   InspectProbe global         two items of a global queue sleep, others lie behind them
//   InspectProbe flood          a hundred items of a global queue that submit themselves again
//   InspectProbe gaps T         T threads work without a pause; each line on standard input is answered by the longest time that one of them
//                               stood still since the last, in microseconds; ends with its input
//   InspectProbe contend        two threads take turns at a mutex, two at a recursive one, two at a queue, without end; says their numbers
//   InspectProbe foreign        two threads wait for each other's mutex of the C library
//   InspectProbe waits          threads wait for each kind of thing, whose holders stay
//   InspectProbe fork           forks, and says the child's number
//   InspectProbe exec           becomes itself again, once, then as busy
//   InspectProbe later          becomes itself by SIGTERM, then as busy
//   InspectProbe undumpable     as deadlock, after PR_SET_DUMPABLE 0
//   InspectProbe headless       as busy, and its main thread has ended
//   InspectProbe unused         never uses Signalbox
//   InspectProbe tasks          as busy, and runs a task of Swift's that never ends: by the toolchain's libdispatch, or what stands in for it
//   InspectProbe storm N        takes N snapshots of its own tasks while others come and go, and says how many there were, or what is wrong
//   InspectProbe both           items of a queue of Signalbox's and one of the toolchain's wait for the other queue
import Glibc
import Signalbox

/// SIGTERM, which no thread takes by itself.
var ending = sigset_t()
sigemptyset(&ending)
sigaddset(&ending, SIGTERM)
pthread_sigmask(SIG_BLOCK, &ending, nil)

/// Says that all is as it is to be, and waits for SIGTERM.
func readyUntilEnd(_ text: String) {
  print(text)
  fflush(nil)
  var wanted = sigset_t(), number: Int32 = 0
  sigemptyset(&wanted)
  sigaddset(&wanted, SIGTERM)
  while sigwait(&wanted, &number) != 0 {}
}

/// Says that all is as it is to be, and waits for the end.
func ready(_ text: String = "ready") -> Never {
  readyUntilEnd(text)
  exit(0)
}

/// Becomes itself again, as busy.
func becomeBusy() -> Never {
  var own = [CChar](repeating: 0, count: 4096)
  precondition(readlink("/proc/self/exe", &own, 4095) > 0, "this program cannot be found")
  execv(own, [strdup("InspectProbe"), strdup("busy"), nil])
  exit(1)
}

/// A thread of the program's own.
func thread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var id = pthread_t()
  let box = Unmanaged.passRetained(Box(body)).toOpaque()
  let made = pthread_create(
    &id, nil,
    { raw in
      if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
      return nil
    }, box)
  precondition(made == 0, "no thread: error \(made)")
  pthread_detach(id)
}

/// Runs in an item of its own until the process ends.
func probeStays() {
  while true { pause() }
}

/// A function of the C library that Swift does not know.
func function<F>(_ name: String, as type: F.Type) -> F {
  guard let address = dlsym(nil, name) else { fatalError("there is no \(name)") }
  return unsafeBitCast(address, to: type)
}

/// The number of a thread of this process; nil: none has the name.
func thread(named name: String) -> Int32? {
  guard let tasks = opendir("/proc/self/task") else { fatalError("there is no /proc") }
  defer { closedir(tasks) }
  while let entry = readdir(tasks) {
    let task = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    guard let id = Int32(task), let file = fopen("/proc/self/task/\(id)/comm", "r") else { continue }
    var line = [CChar](repeating: 0, count: 32)
    fgets(&line, 32, file)
    fclose(file)
    let found = line.prefix { $0 != 10 && $0 != 0 }.map { UInt8(bitPattern: $0) }
    if String(decoding: found, as: UTF8.self) == name { return id }
  }
  return nil
}

/// Whether a thread of this process waits for events: where it is then it has no lock of the runtime's or the allocator's.
func waitsForEvents(_ id: Int32) -> Bool {
  guard let file = fopen("/proc/self/task/\(id)/syscall", "r") else { return false }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  fgets(&line, 256, file)
  // epoll_wait and epoll_pwait have numbers of their own on each kind of processor, epoll_pwait2 has not.
  #if arch(x86_64)
  let calls: [Int32] = [232, 281, 441]
  #else
  let calls: [Int32] = [22, 441]
  #endif
  return calls.contains(atoi(line))
}

/// Waits until a thread of this process sleeps in a futex, and has not run for a while: it waits for a lock for good, or so it seems. One that
/// waits for a page or a file, as who reports may for long on a busy machine, does not.
func awaitSleep(of id: Int32) {
  #if arch(x86_64)
  let futex = "202 "
  #else
  let futex = "98 "
  #endif
  func line(_ name: String) -> String? {
    guard let file = fopen("/proc/self/task/\(id)/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 4096)
    let count = fread(&text, 1, 4095, file)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  var last = "", same = 0
  for _ in 0..<60_000 {
    // The call with its arguments, and how often the thread has gone to sleep.
    let call = line("syscall"), now = (call ?? "") + (line("status")?.split(separator: "\n").suffix(2).joined() ?? "")
    // A process that hides from its user does not see its own calls either.
    same = now == last && call.map { $0.isEmpty || $0.hasPrefix(futex) } != false ? same + 1 : 0
    if same == 50 { return }
    last = now
    usleep(1_000)
  }
  fatalError("thread \(id) does not come to rest")
}

/// Keeps a thread of this process from ever going on: in the handler of a signal that it cannot block. It names itself when it begins; that, and
/// that it waits for events, is awaited.
func stop(threadNamed name: String) {
  signal(SIGBUS) { _ in while true { pause() } }
  let tgkill = function("tgkill", as: (@convention(c) (Int32, Int32, Int32) -> Int32).self)
  for _ in 0..<60_000 {
    if let id = thread(named: name), waitsForEvents(id) {
      precondition(tgkill(getpid(), id, SIGBUS) == 0, "the thread cannot be stopped")
      return
    }
    usleep(1_000)
  }
  fatalError("there is no thread \(name) that waits for events")
}

/// Its jobs lie in a queue that is suspended.
actor Guest {
  nonisolated var unownedExecutor: UnownedSerialExecutor { Probe.stopped.asUnownedSerialExecutor() }
  func probeVisits() {}
}

enum Probe {
  static let stopped = DispatchQueue(label: "probe.stopped")
  static let inactive = DispatchQueue(label: "probe.inactive", attributes: .initiallyInactive)
  static let quick = DispatchQueue(label: "probe.quick")
  static let long = DispatchQueue(label: "probe.long", attributes: .concurrent)

  static func busy() -> Never {
    stopped.suspend()
    for _ in 0..<3 { stopped.async {} }
    inactive.async {}
    let begun = DispatchSemaphore(value: 0)
    long.async {
      begun.signal()
      probeStays()
    }
    begun.wait()
    again()
    quick.sync {}
    ready()
  }

  /// Submits itself again.
  @Sendable private static func again() { quick.async { again() } }

  static func deadlock() -> Never {
    setenv("SIGNALBOX_DEADLOCK", "report", 1)
    let threads = OSAllocatedUnfairLock(initialState: [Int32]())
    @Sendable func begins() {
      let id = function("gettid", as: (@convention(c) () -> Int32).self)()
      threads.withLock { $0.append(id) }
    }
    let first = MutexLock(), second = MutexLock()
    let one = DispatchQueue(label: "probe.one"), other = DispatchQueue(label: "probe.other")
    let reports = DispatchSemaphore(value: 0), both = DispatchGroup()
    let handler = onReport { _ in reports.signal() }
    for _ in 0..<2 { both.enter() }
    one.async {
      begins()
      first.withLock {
        both.leave()
        both.wait()
        second.withLock {}
      }
    }
    other.async {
      begins()
      second.withLock {
        both.leave()
        both.wait()
        first.withLock {}
      }
    }
    withExtendedLifetime(handler) { reports.wait() }
    // Who has reported it goes to sleep only then.
    for id in threads.withLock({ $0 }) { awaitSleep(of: id) }
    ready()
  }

  static func asleep() -> Never {
    let never = DispatchSemaphore(value: 0), group = DispatchGroup(), begun = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "probe.asleep", attributes: .concurrent)
    for _ in 0..<6 {
      queue.async(group: group) {
        begun.signal()
        never.wait()
      }
    }
    for _ in 0..<2 { begun.wait() }
    thread { ready() }
    group.wait()
    exit(1)
  }

  /// Items that sleep in calls which a signal would end; the program ends if one does.
  static func polls() -> Never {
    let queue = DispatchQueue(label: "probe.polls", attributes: .concurrent), begun = DispatchSemaphore(value: 0)
    for isInPoll in [true, false] {
      queue.async {
        begun.signal()
        if isInPoll { sleepInPoll() } else { sleepForLong() }
      }
    }
    for _ in 0..<2 { begun.wait() }
    withExtendedLifetime(queue) { ready() }
  }
  @inline(never) private static func sleepInPoll() { exit(poll(nil, 0, 3_600_000) == 0 ? 0 : 9) }
  @inline(never) private static func sleepForLong() { exit(sleep(3600) == 0 ? 0 : 9) }

  static func backlog() -> Never {
    let queue = DispatchQueue(label: "probe.backlog")
    for _ in 0..<5_000 { queue.async { usleep(1_000) } }
    withExtendedLifetime(queue) { ready() }
  }

  static func crowd(_ queues: Int, _ threads: Int) -> Never {
    let target = DispatchQueue(label: "crowd.target")
    target.suspend()
    let all = (0..<queues).map { DispatchQueue(label: "crowd.\($0)", target: target) }
    for queue in all { queue.async {} }
    let never = DispatchSemaphore(value: 0), begun = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      thread {
        begun.signal()
        never.wait()
      }
    }
    for _ in 0..<threads { begun.wait() }
    withExtendedLifetime(all) { ready() }
  }

  /// Queues in which no thread is and for which none waits.
  static func idle() -> Never {
    let over = DispatchSemaphore(value: 0)
    let unused = DispatchQueue(label: "idle.unused", qos: .utility)
    let wide = DispatchQueue(label: "idle.wide, with a label that does not fit in two words", attributes: .concurrent)
    let nested = DispatchQueue(label: "idle.nested", target: wide), loop = DispatchWorkloop(label: "idle.workloop")
    // Many times what a queue holds itself, so its list turns back and goes on to pages.
    let used = DispatchQueue(label: "idle.used")
    for _ in 0..<10 {
      for _ in 0..<100 { used.async {} }
      used.async { over.signal() }
      over.wait()
    }
    stopped.suspend()
    stopped.suspend()
    for _ in 0..<1_000 { stopped.async {} }
    for _ in 0..<2 { inactive.async {} }
    // Stops when it has run a part of its items.
    let midway = DispatchQueue(label: "idle.midway", qos: .userInitiated)
    midway.suspend()
    for _ in 0..<700 { midway.async {} }
    midway.async {
      midway.suspend()
      over.signal()
    }
    for _ in 0..<300 { midway.async {} }
    midway.resume()
    over.wait()
    DispatchQueue.main.async {}
    DispatchQueue(label: "idle.gone").sync {}
    withExtendedLifetime((unused, nested, loop, used, midway)) { ready() }
  }

  static func churn() -> Never {
    let begun = DispatchSemaphore(value: 0)
    let kept = (0..<20).map { DispatchQueue(label: "churn.stays.\($0)") }
    for number in 0..<2 {
      thread {
        var isFirst = true
        while true {
          let queue = DispatchQueue(label: "churn.\(number)")
          queue.async {}
          queue.sync {}
          // Who reads the program is to find a queue, or what one has left behind.
          if isFirst { begun.signal() }
          isFirst = false
        }
      }
    }
    for _ in 0..<2 { begun.wait() }
    withExtendedLifetime(kept) { ready() }
  }

  static func jobs() -> Never {
    stopped.suspend()
    let guest = Guest()
    Task { await guest.probeVisits() }
    ready()
  }

  static func main() -> Never {
    DispatchQueue.main.async { ready() }
    dispatchMain()
  }

  /// Who waits for a thing and who has it is one of the two whose thing it is, at every moment.
  static func contend() -> Never {
    let mutex = MutexLock(), recursive = MutexLock(kind: .recursive), queue = DispatchQueue(label: "probe.turns")
    let numbers = OSAllocatedUnfairLock(initialState: [Int: Int32]()), begun = DispatchSemaphore(value: 0)
    func add(_ place: Int, _ body: @escaping @Sendable () -> Void) {
      thread {
        let id = function("gettid", as: (@convention(c) () -> Int32).self)()
        numbers.withLock { $0[place] = id }
        begun.signal()
        while true { body() }
      }
    }
    for place in 0..<2 {
      add(place) { mutex.withLock { spend() } }
      add(2 + place) { recursive.withLock { spend() } }
      add(4 + place) { queue.sync { spend() } }
    }
    for _ in 0..<6 { begun.wait() }
    let all = numbers.withLock { all in (0..<6).map { "\(all[$0] ?? 0)" } }
    ready(all.joined(separator: ","))
  }

  /// Some microseconds, so that others come to wait.
  @Sendable private static func spend() {
    for _ in 0..<20 { sched_yield() }
  }

  /// Takes the mutex of the C library at the address.
  @Sendable private static func lock(_ address: UInt) {
    guard let mutex = UnsafeMutablePointer<pthread_mutex_t>(bitPattern: address) else { fatalError("there is no mutex") }
    pthread_mutex_lock(mutex)
  }

  static func foreign() -> Never {
    let mutexes = (0..<2).map { _ in
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      return UInt(bitPattern: mutex)
    }
    let held = DispatchGroup()
    for _ in 0..<2 { held.enter() }
    for place in 0..<2 {
      thread {
        lock(mutexes[place])
        held.leave()
        held.wait()
        lock(mutexes[1 - place])
      }
    }
    held.wait()
    ready()
  }

  static func events() -> Never {
    let later = DispatchQueue(label: "probe.later")
    let timer = DispatchSource.makeTimerSource(queue: later)
    timer.schedule(deadline: .now() + 1000)
    timer.setEventHandler {}
    timer.activate()
    later.asyncAfter(deadline: .now() + 2000) {}
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "there is no pipe")
    let reader = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: later)
    let signals = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: later)
    for source in [reader, signals] as [any DispatchSourceProtocol] {
      source.setEventHandler {}
      source.activate()
    }
    later.sync {}  // the sources have begun on it
    stop(threadNamed: "signalbox.event")
    ready()
  }
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "busy": Probe.busy()
case "deadlock": Probe.deadlock()
case "main": Probe.main()
case "jobs": Probe.jobs()
case "asleep": Probe.asleep()
case "polls": Probe.polls()
case "backlog": Probe.backlog()
case "events": Probe.events()
case "alarms": Alarms.begin()
case "churn": Probe.churn()
case "idle": Probe.idle()
case "global": Global.full()
case "flood": Global.flood()
case "only":
  let queue = DispatchQueue(label: "probe.only")
  withExtendedLifetime(queue) { ready() }
case "waits": Waits.begin()
case "contend": Probe.contend()
case "foreign": Probe.foreign()
case "both":
  let one = DispatchQueue(label: "probe.one"), isIn = DispatchSemaphore(value: 0), otherIsIn = DispatchSemaphore(value: 0)
  one.async {
    isIn.signal()
    otherIsIn.wait()
    Toolchain.sync { print("never") }
  }
  Toolchain.async {
    otherIsIn.signal()
    isIn.wait()
    one.sync { print("never") }
  }
  ready()
case "gaps": Gaps.measure(Int(words.last ?? "") ?? 1)
case "crowd": Probe.crowd(Int(words.dropFirst().first ?? "") ?? 0, Int(words.last ?? "") ?? 0)
case "fork":
  let parent = DispatchQueue(label: "probe.parent")
  parent.async {}
  parent.sync {}
  var ends: [Int32] = [0, 0], byte: UInt8 = 0
  precondition(pipe(&ends) == 0, "there is no pipe")
  let child = function("fork", as: (@convention(c) () -> Int32).self)()
  if child == 0 {
    write(ends[1], &byte, 1)  // what is done at the beginning of a child is done
    while true { pause() }
  }
  precondition(read(ends[0], &byte, 1) == 1, "the child says nothing")
  ready("\(child)")
case "exec":
  DispatchQueue(label: "probe.before").sync {}
  becomeBusy()
case "headless":
  let main = pthread_self()
  thread {
    guard pthread_join(main, nil) == 0 else { exit(1) }
    Probe.busy()
  }
  pthread_exit(nil)
case "later":
  DispatchQueue(label: "probe.before").sync {}
  readyUntilEnd("ready")
  becomeBusy()
case "undumpable":
  let prctl = function("prctl", as: (@convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32).self)
  precondition(prctl(4, 0, 0, 0, 0) == 0, "PR_SET_DUMPABLE is refused")
  Probe.deadlock()
case "unused": ready()
case "storm": Storm.take(Int(words.last ?? "") ?? 0)
case "tasks":
  Task.detached { probeStays() }
  Probe.busy()
default: exit(64)
}
