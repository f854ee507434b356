// QueueJob.swift: how a job of Swift's tasks lies in a queue, how it is run there, and what its task is taken to
// prefer. What submits jobs is QueueExecutors.swift and Executors/.
//
// A slot holds a function of this file, as it would hold a C function, and the job's address. Jobs are aligned to 16
// bytes: the lowest bits say on whose behalf the job runs, where the queue that runs it is not the one that it was
// given to.
//
//   function        the job runs                           the lowest bits
//   runIsolated     isolated to the queue that is drained  what its task may prefer (TaskPreference)
//   runPreferring   on the queue's behalf as preference    0: the queue that is drained   1 + n: the root of class n
//   runOfPool       on the pool's behalf                   0
//   runUnbound      on nobody's behalf                     0
import SignalboxSystem
import SignalboxWords

/// A job in the form in which a queue holds it.
struct QueueJob {
  /// Who runs it, as the runtime is to know: this decides where the job's task goes on after it has waited.
  enum Role: Equatable {
    /// The executor of an actor.
    case isolated
    /// What its task prefers.
    case preferring
    /// The pool, which its task prefers.
    case ofPool
    /// The default executor of the process, which the pool stands in for.
    case unbound
  }

  let work: CWork
  /// As its task's priority has it.
  let qosClass: DispatchQoS.QoSClass

  /// The job takes the place of its reference: it is to be run, once.
  init(_ job: consuming ExecutorJob, _ role: Role, behalf: Int = 0) {
    self.init(role, priority: job.priority, address: Self.address(of: job)) { _ in UInt(behalf) }
  }

  /// A job of an actor whose executor is the queue.
  init(_ job: consuming ExecutorJob, isolatedTo queue: DispatchQueue) {
    self.init(.isolated, priority: job.priority, address: Self.address(of: job)) {
      TaskPreference.guess(job: $0, to: queue).bits
    }
  }

  @inline(__always) private init(_ role: Role, priority: JobPriority, address: UInt, behalf: (UInt) -> UInt) {
    // The numbers of priorities are those of the classes.
    qosClass = DispatchQoS.QoSClass(rawValue: qos_class_t(priority.rawValue)) ?? .unspecified
    work = CWork(Self.function(role), UnsafeMutableRawPointer(bitPattern: address | behalf(address)))
  }

  // SAFETY: an unowned job is the address of the job, which is freed by none but who runs it.
  @inline(__always) private static func address(of job: consuming ExecutorJob) -> UInt {
    unsafeBitCast(UnownedJob(job), to: UInt.self)
  }

  private static func function(_ role: Role) -> CFunction {
    switch role {
    case .isolated: runIsolated
    case .preferring: runPreferring
    case .ofPool: runOfPool
    case .unbound: runUnbound
    }
  }

  /// Says to readers of this process's memory by which functions jobs are known.
  static func describe() {
    let roles: [(Role, DescribedWord)] = [
      (.isolated, .jobIsolated), (.preferring, .jobPreferring), (.ofPool, .jobOfPool), (.unbound, .jobUnbound),
    ]
    for (role, word) in roles { ProcessDescription.write(word, place(role)) }
  }

  /// Which role a slot's first word stands for; nil if its item is no job.
  static func role(_ first: UInt64) -> Role? {
    guard first & SlotKind.cFunction != 0 else { return nil }
    let address = UInt(first & ~SlotKind.cFunction)
    if address == place(.ofPool) { return .ofPool }
    if address == place(.unbound) { return .unbound }
    if address == place(.preferring) { return .preferring }
    return address == place(.isolated) ? .isolated : nil
  }

  // SAFETY: a C function's pointer is its address.
  @inline(__always) private static func place(_ role: Role) -> UInt { unsafeBitCast(function(role), to: UInt.self) }

}

extension DispatchQueue {
  /// Submits a job. One that is more urgent than the queue says so, for queues that go by that.
  @inline(__always) final func submit(_ job: QueueJob) {
    let words = job.work.raw
    if _slowPath(job.tellsClass(to: self)) {
      return submit(words, group: nil, flags: [], qos: DispatchQoS(qosClass: job.qosClass, relativePriority: 0))
    }
    push(Slot(words))
  }
}

extension QueueJob {
  /// Whether the job asks for more than the queue's class gives it. The default priority is that of every task that asks for nothing.
  @inline(__always) func asksForMore(than queue: DispatchQueue) -> Bool {
    let serviceClass = ServiceClass(qosClass)
    return serviceClass.isMoreUrgent(than: .standard) && serviceClass.isMoreUrgent(than: queue.serviceClass)
  }

  /// Whether the queue is to know the job's class: a workloop sorts by it; a queue of the pool has one already.
  @inline(__always) fileprivate func tellsClass(to queue: DispatchQueue) -> Bool {
    !queue.isRoot && (queue.isWorkloop || asksForMore(than: queue))
  }
}

// MARK: running

/// The queue that is drained on the calling thread, and which therefore lives.
private var drained: Lent<DispatchQueue> {
  guard let frame = ThreadSlot.current.innermostFrame else { fatalError("a job is run outside of its queue") }
  return DispatchQueue.reference(of: frame.pointee)
}

/// The job in a slot's second word.
private func job(_ word: UnsafeMutableRawPointer?) -> UnownedJob {
  // SAFETY: the inverse of QueueJob.init; the job has not run, and nobody else has it.
  unsafeBitCast(UInt(bitPattern: word) & ~JobLayout.behalfBits, to: UnownedJob.self)
}

private func runIsolated(_ word: UnsafeMutableRawPointer?) {
  let executor = drained.use { $0.isMain ? MainActor.sharedUnownedExecutor : UnownedSerialExecutor(ordinary: $0) }
  let noted = UInt(bitPattern: word)
  TaskPreference.noting(noted) {
    if let preferred = TaskPreference(of: noted).executor {
      job(word).runSynchronously(isolatedTo: executor, taskExecutor: preferred)
    } else {
      job(word).runSynchronously(on: executor)
    }
  }
}

private func runPreferring(_ word: UnsafeMutableRawPointer?) {
  let behalf = UInt(bitPattern: word) & JobLayout.behalfBits
  let queue = behalf == 0 ? drained : GlobalQueues.queue(of: ServiceClass(known: Int(behalf) - 1))
  let (executor, root) = queue.use { (UnownedTaskExecutor(ordinary: $0), $0.isRoot ? $0.serviceClass : nil) }
  TaskPreference.noting(root.map { TaskPreference.root(of: $0).bits } ?? 0) { job(word).runSynchronously(on: executor) }
}

private func runOfPool(_ word: UnsafeMutableRawPointer?) {
  TaskPreference.noting(TaskPreference.pool.bits) {
    job(word).runSynchronously(on: UnownedTaskExecutor(ordinary: PoolExecutor.shared))
  }
}

private func runUnbound(_ word: UnsafeMutableRawPointer?) {
  // SAFETY: an executor is two words, and two zeros are the runtime's name for none in particular (its frozen layout).
  job(word).runSynchronously(on: unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self))
}

// MARK: which executor a task prefers

// The queue that runs an isolated job says to the runtime which executor the job's task prefers.
//
// While a task runs isolated, each further call of the same actor goes on in place only if the runtime has got, beside
// the actor's executor, the one that the task prefers. Else the call becomes a job of its own. But the runtime gives a
// queue no more than the job, so this is a guess. A wrong one costs such a job, and changes nothing else: where the
// task goes from the actor is for the runtime to say.
//
//   who submits the job                                     the guess
//   a job that runs for the pool, or for a global queue     that one: mostly the task itself, on its way into the actor
//   an isolated job                                         what was guessed for that one
//   the job itself, to the queue that runs it               nothing if something was guessed, otherwise the pool: the guess was wrong
//   anybody else                                            nothing
//
// A thread keeps the guess with its running job, in one word (`sb_thread.job`), and a job in the lowest bits of its
// slot's second word. Private queues that a task prefers have no number that fits there: their tasks' calls are jobs.

/// An executor that a task may prefer, as four bits.
struct TaskPreference: Equatable {
  let bits: UInt

  /// None, or none that is known.
  static let nothing = TaskPreference(bits: 0)
  static let pool = TaskPreference(bits: 15)
  /// The global queue of the class.
  static func root(of serviceClass: ServiceClass) -> TaskPreference { TaskPreference(bits: UInt(serviceClass.rawValue) + 1) }

  /// What a word holds beside a job's address, which is a multiple of 16.
  init(of word: UInt) { bits = word & JobLayout.behalfBits }
  private init(bits: UInt) { self.bits = bits }

  /// The executor as the runtime knows it.
  var executor: UnownedTaskExecutor? {
    switch self {
    case .nothing: nil
    case .pool: UnownedTaskExecutor(ordinary: PoolExecutor.shared)
    default: GlobalQueues.queue(of: ServiceClass(known: Int(bits) - 1)).use { UnownedTaskExecutor(ordinary: $0) }
    }
  }

  /// The guess for the job at this address, which the calling thread submits to the queue of its actor.
  @inline(__always) static func guess(job: UInt, to queue: DispatchQueue) -> TaskPreference {
    let thread = ThreadSlot.current, running = thread.pointee.job
    if _fastPath(running == 0) { return .nothing }
    let last = TaskPreference(of: running)
    guard running == job | last.bits, let frame = thread.innermostFrame,
      DispatchQueue.reference(of: frame.pointee).use({ $0 === queue })
    else { return last }
    return last == .nothing ? .pool : .nothing
  }

  /// Runs `body`, a run of a job, with that in mind: of an isolated job its address and guess, of others what they run for.
  @inline(__always) static func noting(_ word: UInt, _ body: () -> Void) {
    let thread = ThreadSlot.current, outer = thread.pointee.job
    thread.pointee.job = word
    body()
    thread.pointee.job = outer
  }
}
