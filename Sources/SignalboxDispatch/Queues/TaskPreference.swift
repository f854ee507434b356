// TaskPreference.swift: which executor the task of an isolated job prefers, as the queue that runs the job says to the runtime.
//
// While a task runs isolated, each further call of the same actor goes on in place only if the runtime has got, beside the actor's
// executor, the one that the task prefers. Else the call becomes a job of its own. But the runtime gives a queue no more than the job,
// so this is a guess. A wrong one costs such a job, and changes nothing else: where the task goes from the actor is for the runtime to say.
//
//   who submits the job                                     the guess
//   a job that runs for the pool, or for a global queue     that one: mostly the task itself, on its way into the actor
//   an isolated job                                         what was guessed for that one
//   the job itself, to the queue that runs it               nothing if something was guessed, otherwise the pool: the guess was wrong
//   anybody else                                            nothing
//
// A thread keeps the guess with its running job, in one word (`sb_thread.job`), and a job in the lowest bits of its slot's second word.
// Private queues that a task prefers have no number that fits there: their tasks' calls are jobs.
import SignalboxSystem
import SignalboxWords

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
