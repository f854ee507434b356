// main.swift: a program on the toolchain's own Dispatch, without Signalbox, to be inspected from outside: threads that
// wait as its argument says. It says "ready" once it has begun that; tests read it until its threads sleep. Ended by a
// signal.
//   HungProbe queues      two serial queues whose items wait for each other's turn
//   HungProbe mutex       an item of a serial queue waits for a mutex, whose holder waits for the queue
//   HungProbe main        the main thread waits for a queue whose item waits for the main queue
//   HungProbe targets     a queue whose target is another queue, and a third: their items wait for one another
//   HungProbe chain       three threads, each of which waits for the next one's queue; the last sleeps
//   HungProbe stopped     a thread waits for a suspended queue, another for one that is not active
//   HungProbe group       threads wait for a group with a member, for a semaphore, and for one with a limit of an hour
//   HungProbe barrier     a barrier waits for a reader that sleeps; three items lie behind
//   HungProbe readers     a reader of a concurrent queue waits for a serial queue, whose item waits as a barrier there
//   HungProbe pool        items of a global queue wait for a semaphore, and more lie behind
//   HungProbe items       a serial and a concurrent queue are busy; items of each kind lie in them
//   HungProbe sources     timers of two clocks, asyncAfter, a descriptor and a signal; one timer that was never set
//   HungProbe join        a thread waits for the end of another one
//   HungProbe once        two globals are made, each of which wants the other
//   HungProbe clibrary    threads wait for a condition, a lock for readers and writers, a POSIX semaphore
//   HungProbe idle        items of a global queue end again and again, and its threads have nothing to do in between
//   HungProbe many        two hundred threads wait for a queue whose item sleeps
//   HungProbe deep        a thread sleeps in poll() below four functions of known names
//   HungProbe churn       threads make, use and free queues by the thousand; two lived before, one of which three threads take in turn
//   HungProbe pthreads    no Dispatch: two threads that wait for each other's mutex
import Dispatch
import Glibc

/// Runs `body` on a thread of its own.
@discardableResult func onThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body)).toOpaque()
  pthread_create(
    &thread, nil,
    { raw in
      // SAFETY: the box that was retained for this call.
      if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
      return nil
    }, box)
  return thread
}

/// A mutex of the C library.
// SAFETY: memory from malloc that is never freed; the C library's functions may be called by any thread.
struct Mutex: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  init() { pthread_mutex_init(mutex, nil) }
  func lock() { pthread_mutex_lock(mutex) }
  func wait(_ condition: Room<pthread_cond_t>) { pthread_cond_wait(condition.place, mutex) }
}

/// Memory for an object of the C library.
// SAFETY: as of the mutex.
struct Room<Object>: @unchecked Sendable {
  let place = UnsafeMutablePointer<Object>.allocate(capacity: 1)
}

/// Both sides arrive before either goes on.
struct Meeting: Sendable {
  private let one = DispatchSemaphore(value: 0), other = DispatchSemaphore(value: 0)
  func first() {
    one.signal()
    other.wait()
  }
  func second() {
    other.signal()
    one.wait()
  }
}

func sleepForever() { while true { pause() } }

@inline(never) func deepest() {
  poll(nil, 0, -1)
  print("never")
}
@inline(never) func deeper() {
  deepest()
  print("never")
}
@inline(never) func deep(_ depth: Int) {
  // Room on the stack that only the running function knows.
  withUnsafeTemporaryAllocation(byteCount: depth * 16, alignment: 16) { room in
    room[0] = 1
    deeper()
  }
  print("never")
}

@inline(never) func plainItem() { print("never") }
@inline(never) func workItem() { print("never") }
@inline(never) func groupItem() { print("never") }
@inline(never) func barrierItem() { print("never") }
@inline(never) func syncItem() { print("never") }

/// Two values, each of which is made of the other, on two threads at once.
enum Crossed {
  nonisolated(unsafe) static var meeting = Meeting()
  static let one: Int = {
    meeting.first()
    return other
  }()
  static let other: Int = {
    meeting.second()
    return one
  }()
}

nonisolated(unsafe) var kept: [any DispatchSourceProtocol] = []
let queues = (one: DispatchQueue(label: "hung.one"), other: DispatchQueue(label: "hung.other"))
let kind = CommandLine.arguments.count == 2 ? CommandLine.arguments[1] : ""
switch kind {
case "queues":
  let meeting = Meeting()
  queues.one.async {
    meeting.first()
    queues.other.sync { print("never") }
  }
  queues.other.async {
    meeting.second()
    queues.one.sync { print("never") }
  }
case "mutex":
  let meeting = Meeting(), mutex = Mutex()
  queues.one.async {
    meeting.first()
    mutex.lock()
  }
  onThread {
    mutex.lock()
    meeting.second()
    queues.one.sync { print("never") }
  }
case "main":
  queues.one.async { DispatchQueue.main.sync { print("never") } }
case "targets":
  let meeting = Meeting(), child = DispatchQueue(label: "hung.child", target: queues.one)
  child.async {
    meeting.first()
    queues.other.sync { print("never") }
  }
  queues.other.async {
    meeting.second()
    child.sync { print("never") }
  }
case "chain":
  let areIn = DispatchGroup(), last = DispatchQueue(label: "hung.last")
  for _ in 0..<3 { areIn.enter() }
  last.async {
    areIn.leave()
    sleepForever()
  }
  queues.other.async {
    areIn.leave()
    areIn.wait()
    last.sync { print("never") }
  }
  queues.one.async {
    areIn.leave()
    areIn.wait()
    queues.other.sync { print("never") }
  }
case "stopped":
  queues.one.suspend()
  let inactive = DispatchQueue(label: "hung.inactive", attributes: .initiallyInactive)
  for _ in 0..<3 { inactive.async { print("never") } }
  onThread { queues.one.sync { print("never") } }
  onThread { inactive.sync { print("never") } }
case "group":
  let group = DispatchGroup(), semaphore = DispatchSemaphore(value: 0)
  group.enter()
  queues.one.async { group.wait() }
  queues.other.async { semaphore.wait() }
  onThread { _ = semaphore.wait(timeout: .now() + 3600) }
case "barrier":
  let wide = DispatchQueue(label: "hung.wide", attributes: .concurrent), isIn = DispatchSemaphore(value: 0)
  wide.async {
    isIn.signal()
    sleepForever()
  }
  isIn.wait()
  onThread { wide.sync(flags: .barrier) { print("never") } }
case "readers":
  let wide = DispatchQueue(label: "hung.wide", attributes: .concurrent), meeting = Meeting()
  wide.async { sleepForever() }
  wide.async {
    meeting.first()
    queues.other.sync { print("never") }
  }
  queues.other.async {
    meeting.second()
    wide.sync(flags: .barrier) { print("never") }
  }
case "pool":
  let semaphore = DispatchSemaphore(value: 0)
  for _ in 0..<500 { DispatchQueue.global(qos: .utility).async { semaphore.wait() } }
case "items":
  let wide = DispatchQueue(label: "hung.wide", attributes: .concurrent),
    child = DispatchQueue(label: "hung.child", target: queues.one)
  let areIn = DispatchGroup()
  for queue in [queues.one, wide] {
    areIn.enter()
    queue.async(flags: .barrier) {
      areIn.leave()
      sleepForever()
    }
  }
  areIn.wait()
  queues.one.async(execute: plainItem)
  queues.one.async(execute: DispatchWorkItem { workItem() })
  child.async { print("never") }
  wide.async(group: areIn) { groupItem() }
  wide.async(flags: .barrier) { barrierItem() }
  onThread { wide.sync { syncItem() } }
case "sources":
  let ends = UnsafeMutablePointer<Int32>.allocate(capacity: 2)
  pipe(ends)
  signal(SIGUSR1, SIG_IGN)
  let timers = (0..<3).map { _ in DispatchSource.makeTimerSource(queue: queues.one) }
  for timer in timers { timer.setEventHandler { plainItem() } }
  timers[0].schedule(deadline: .now() + 3_600, repeating: 10)
  timers[1].schedule(wallDeadline: .now() + 7_200)
  for timer in timers { timer.activate() }
  let reading = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: queues.other)
  reading.setEventHandler { plainItem() }
  reading.activate()
  let signals = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: queues.other)
  signals.setEventHandler { plainItem() }
  signals.activate()
  queues.other.asyncAfter(deadline: .now() + 1_800) { workItem() }
  kept = timers + [reading, signals]
case "join":
  onThread {
    let other = onThread { sleepForever() }
    pthread_join(other, nil)
  }
case "once":
  let meeting = Meeting()
  Crossed.meeting = meeting
  onThread { print(Crossed.one) }
  onThread { print(Crossed.other) }
case "clibrary":
  let mutex = Mutex(), condition = Room<pthread_cond_t>(), lock = Room<pthread_rwlock_t>(), semaphore = Room<sem_t>()
  pthread_cond_init(condition.place, nil)
  pthread_rwlock_init(lock.place, nil)
  sem_init(semaphore.place, 0, 0)
  pthread_rwlock_wrlock(lock.place)
  onThread {
    mutex.lock()
    mutex.wait(condition)
  }
  onThread { pthread_rwlock_rdlock(lock.place) }
  onThread { pthread_rwlock_wrlock(lock.place) }
  onThread { sem_wait(semaphore.place) }
case "idle":
  onThread {
    while true {
      DispatchQueue.global().sync {}
      DispatchQueue.global().async {}
      sleep(1)
    }
  }
case "many":
  queues.one.async { sleepForever() }
  for _ in 0..<200 { onThread { queues.one.sync { print("never") } } }
case "deep":
  onThread { deep(CommandLine.arguments.count) }
case "churn":
  for queue in [queues.one, queues.other] { queue.sync {} }
  for number in 0..<2 {
    onThread {
      while true {
        let queue = DispatchQueue(label: "churn.\(number)"), group = DispatchGroup()
        queue.async(group: group) { usleep(10) }
        queue.sync {}
        group.wait()
      }
    }
  }
  // Handed over again and again.
  for _ in 0..<3 { onThread { while true { queues.other.sync { _ = usleep(20) } } } }
case "pthreads":
  let one = Mutex(), other = Mutex()
  nonisolated(unsafe) let arrived = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
  pthread_barrier_init(arrived, nil, 2)
  for (own, wanted) in [(one, other), (other, one)] {
    onThread {
      own.lock()
      pthread_barrier_wait(arrived)
      wanted.lock()
    }
  }
default:
  print(
    "usage: HungProbe queues | mutex | main | targets | chain | stopped | group | barrier | readers | pool | items | sources | join | "
      + "once | clibrary | idle | many | deep | churn | pthreads")
  exit(64)
}
print("ready")
fflush(nil)
if kind == "main" { queues.one.sync { print("never") } }
sleepForever()
